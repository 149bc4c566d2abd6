#include <string_view>

#include "tile/io/output_file.hpp"
#include "tools/report/report.hpp"
#include "tools/report/report_assets.hpp"

namespace tilespmv::tools {
namespace {

/// Appends the text of a template up to a mark and what takes its place; the template begins behind the mark then.
void fill(std::string& page, std::string_view& rest, std::string_view mark, std::string_view by) {
    const auto at = rest.find(mark);
    page.append(rest.substr(0, at)).append(by);
    rest.remove_prefix(at + mark.size());
}

}  // namespace

std::string report_page(const Profile& profile) {
    std::string page;
    std::string_view rest = kReportPage;
    fill(page, rest, "{{style}}", kReportStyle);
    fill(page, rest, "{{data}}", report_data(profile));
    fill(page, rest, "{{script}}", kReportScript);
    return page.append(rest);
}

void write_report(const std::filesystem::path& file, const Profile& profile) {
    const std::string page = report_page(profile);
    OutputFile out(file);
    out.write(page);
    out.commit();
}

}  // namespace tilespmv::tools
