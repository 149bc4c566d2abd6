#pragma once

#include <memory>

#include <archive.h>

namespace tilespmv {

struct CloseArchive {
    void operator()(archive* a) const { archive_read_free(a); }
};
using ArchiveHandle = std::unique_ptr<archive, CloseArchive>;

inline const char* reason_of(archive* a) {
    const char* reason = archive_error_string(a);
    return reason != nullptr ? reason : "no reason given";
}

}  // namespace tilespmv
