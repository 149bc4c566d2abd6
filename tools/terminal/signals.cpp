#include "tools/terminal/signals.hpp"

#include <atomic>
#include <csignal>
#include <cstring>

#include <unistd.h>

#include "tile/error.hpp"
#include "tile/io/mapped_file.hpp"
#include "tile/io/temporary_file.hpp"

namespace tilespmv::tools {
namespace {

void say(const char* text) { static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text))); }

void end_with_default_action(int signal) {
    remove_temporary_files();
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // arrives when the handler returns
}

/// Several threads may read the same file.
std::atomic_flag bus_error_met;

void end_by_bus_error(int signal, siginfo_t* info, void*) {
    while (bus_error_met.test_and_set()) ::pause();
    const char* file = info->si_code == BUS_ADRERR ? mapped_file_at(info->si_addr) : nullptr;
    if (file == nullptr) return end_with_default_action(signal);
    remove_temporary_files();
    say("tilespmv: ");
    say(file);
    say(": cannot be read: it was cut short while it was read, or its disk failed\n");
    ::_exit(static_cast<int>(ExitCode::failure));
}

void install(int signal, struct sigaction action) {
    struct sigaction before {};
    sigfillset(&action.sa_mask);
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
        ::sigaction(signal, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
    struct sigaction end {};
    end.sa_handler = end_with_default_action;
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ}) install(signal, end);
    struct sigaction bus_error {};
    bus_error.sa_sigaction = end_by_bus_error;
    bus_error.sa_flags = SA_SIGINFO;
    install(SIGBUS, bus_error);
}

}  // namespace tilespmv::tools
