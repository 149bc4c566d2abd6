// Archives from hostile hands: any bytes, the same with checksums that are right, and a sample with edits that the
// bytes describe. Opening gives either an `Error` of one line or a matrix that can be used.
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/temporary_directory.hpp"
#include "tests/tile/archive/archive_bytes.hpp"
#include "tests/tile/archive/sample_tiles.hpp"
#include "tile/error.hpp"

namespace tilespmv::test {
namespace {

std::string archived(const TileMatrix<double>& a) {
    const TemporaryDirectory directory;
    write_archive<double>(directory.path() / "A.tsp", a, formats::format_table());
    return content_of(directory.path() / "A.tsp");
}

/// Sets, adds, subtracts or flips bits of the number of 1, 2, 4 or 8 bytes at a place, as six bytes say: place (2),
/// operand (2), how far it is rotated and what it is for, width.
void edit(std::string& content, std::span<const std::uint8_t, 6> how) {
    const std::size_t width = std::size_t{1} << how[5] % 4;
    const std::size_t place = (how[0] + 256u * how[1]) % content.size() / width * width;
    const std::uint64_t operand = std::rotl(how[2] + 256ul * how[3], how[4] / 4);
    std::uint64_t number = 0;
    std::memcpy(&number, &content[place], width);
    switch (how[4] % 4) {
        case 0:
            number = operand;
            break;
        case 1:
            number += operand;
            break;
        case 2:
            number -= operand;
            break;
        default:
            number ^= operand;
    }
    std::memcpy(&content[place], &number, width);
}

/// The sample that the first byte names, with up to four edits of six bytes each and checksums that are right.
std::string edited_sample(std::span<const std::uint8_t> script) {
    static const std::array<std::string, 3> samples{archived(sample_tiles<double>()),
                                                    archived(sample_with_all_rows_deferred<double>(false)),
                                                    archived(sample_with_all_rows_deferred<double>(true))};
    std::string content = samples[script.front() % samples.size()];
    for (std::size_t i = 1; i < 25 && i + 6 <= script.size(); i += 6) edit(content, script.subspan(i).first<6>());
    reseal(content);
    return content;
}

void open_and_use(std::string_view content) {
    TileMatrix<double> a;
    try {
        a = open_bytes<double>(content);
    } catch (const Error& error) {
        if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
        return;
    }
    use(a);  // what it throws nobody catches
}

}  // namespace
}  // namespace tilespmv::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tilespmv::test;
    if (size == 0) return 0;
    std::string content(reinterpret_cast<const char*>(data), size);
    open_and_use(content);
    if (size >= sizeof(tilespmv::archive::Header)) {
        reseal(content);
        open_and_use(content);
    }
    open_and_use(edited_sample({data, size}));
    return 0;
}
