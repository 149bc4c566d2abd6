#pragma once

#include <string_view>

/// The parts of the page, files of `page/` that the build embeds (`embed.cmake`).
namespace tilespmv::tools {

extern const std::string_view kReportPage;    ///< HTML with {{style}}, {{data}} and {{script}}
extern const std::string_view kReportStyle;   ///< CSS
extern const std::string_view kReportScript;  ///< JavaScript, all files in their order

}  // namespace tilespmv::tools
