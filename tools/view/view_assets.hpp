#pragma once

#include "tools/view/page_template.hpp"

namespace tilespmv::tools {

/// The files of `page/`.
extern const PageParts kViewParts;

}  // namespace tilespmv::tools
