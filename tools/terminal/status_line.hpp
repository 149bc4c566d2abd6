#pragma once

#include <string_view>

namespace tilespmv::tools {

/// One line on stderr that says what is being done; nothing at all if stderr is no terminal. Wiped at the end.
class StatusLine {
public:
    StatusLine();
    ~StatusLine();
    StatusLine(const StatusLine&) = delete;
    StatusLine& operator=(const StatusLine&) = delete;

    void show(std::string_view text);
    /// Until the next `show`; before other output.
    void wipe();

private:
    bool terminal_;
    bool drawn_ = false;
};

}  // namespace tilespmv::tools
