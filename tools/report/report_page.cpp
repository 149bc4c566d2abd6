#include "tile/io/output_file.hpp"
#include "tools/report/report.hpp"
#include "tools/report/report_assets.hpp"

namespace tilespmv::tools {

std::string report_page(const Profile& profile) { return fill_page(kReportParts, report_data(profile)); }

void write_report(const std::filesystem::path& file, const Profile& profile) {
    const std::string page = report_page(profile);
    OutputFile out(file);
    out.write(page);
    out.commit();
}

}  // namespace tilespmv::tools
