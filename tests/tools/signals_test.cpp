#include "tools/terminal/signals.hpp"

#include <csignal>
#include <cstdio>

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/temporary_directory.hpp"
#include "tile/io/mapped_file.hpp"
#include "tile/io/output_file.hpp"

namespace tilespmv::tools {
namespace {

namespace fs = std::filesystem;

/// Processes that end in a death test.
class SignalsDeathTest : public ::testing::Test {
protected:
    test::TemporaryDirectory directory_;
    fs::path output_ = directory_.path() / "out";

    [[noreturn]] void raise_while_writing(int signal) const {
        install_signal_handlers();
        OutputFile output(output_);
        output.write("half of it");
        if (!fs::is_empty(directory_.path())) std::raise(signal);
        ::_exit(0);
    }

    [[noreturn]] static void read_after_cut(const fs::path& file) {
        MappedFile mapped(file);
        fs::resize_file(file, 0);
        const volatile std::byte* bytes = mapped.data();
        static_cast<void>(bytes[5000]);
        ::_exit(0);
    }
};

TEST_F(SignalsDeathTest, TemporaryFilesAreRemoved) {
    const auto raise_not_ignored = [&](int signal) {
        std::signal(signal, SIG_DFL);  // jobs in the background begin with some of them ignored
        raise_while_writing(signal);
    };
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) {
        EXPECT_EXIT(raise_not_ignored(signal), ::testing::KilledBySignal(signal), "");
        EXPECT_TRUE(fs::is_empty(directory_.path()));
    }
}

TEST_F(SignalsDeathTest, OtherBusErrorsKeepTheirDefaultAction) {
    const auto file = directory_.file("f", std::string(10000, 'x'));
    std::signal(SIGBUS, SIG_DFL);                                              // a sanitizer has a handler of its own
    EXPECT_EXIT(read_after_cut(file), ::testing::KilledBySignal(SIGBUS), "");  // no handler was asked for
    const auto read_unlisted = [&] {
        install_signal_handlers();
        std::FILE* stream = std::fopen(file.c_str(), "r+");
        const auto* bytes =
            static_cast<volatile char*>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, ::fileno(stream), 0));
        fs::resize_file(file, 0);
        ::_exit(bytes[0]);
    };
    EXPECT_EXIT(read_unlisted(), ::testing::KilledBySignal(SIGBUS), "");
    EXPECT_EXIT((install_signal_handlers(), std::raise(SIGBUS)), ::testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace tilespmv::tools
