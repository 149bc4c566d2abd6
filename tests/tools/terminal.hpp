#pragma once

#include <cstdio>
#include <string>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

namespace tilespmv::test {

/// While it lives, standard error is a terminal, if the system has one to give.
class TerminalForErrors {
public:
    TerminalForErrors() : leader_(::posix_openpt(O_RDWR | O_NOCTTY)), before_(::dup(STDERR_FILENO)) {
        if (leader_ < 0 || ::grantpt(leader_) != 0 || ::unlockpt(leader_) != 0) return;
        const char* name = ::ptsname(leader_);
        follower_ = name == nullptr ? -1 : ::open(name, O_RDWR | O_NOCTTY);
        if (follower_ < 0) return;
        std::fflush(stderr);
        ::dup2(follower_, STDERR_FILENO);
        ::fcntl(leader_, F_SETFL, O_NONBLOCK);
    }
    TerminalForErrors(const TerminalForErrors&) = delete;
    TerminalForErrors& operator=(const TerminalForErrors&) = delete;
    ~TerminalForErrors() {
        ::dup2(before_, STDERR_FILENO);
        for (const int descriptor : {leader_, follower_, before_}) {
            if (descriptor >= 0) ::close(descriptor);
        }
    }

    [[nodiscard]] bool works() const { return follower_ >= 0; }

    /// What was written since the last call.
    std::string text() const {
        std::fflush(stderr);
        std::string all;
        char part[4096];
        for (ssize_t n = 0; (n = ::read(leader_, part, sizeof part)) > 0;)
            all.append(part, static_cast<std::size_t>(n));
        return all;
    }

private:
    int leader_;
    int before_;
    int follower_ = -1;
};

}  // namespace tilespmv::test
