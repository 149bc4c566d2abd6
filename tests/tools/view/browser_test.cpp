// The page as headless Chromium shows it, which runs its script and writes down the elements that result.
#include <cstdio>
#include <optional>
#include <regex>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/generate/generate.hpp"
#include "tools/view/view.hpp"

namespace tilespmv::tools {
namespace {

using test::content_of;
using test::TemporaryDirectory;
using ::testing::HasSubstr;
using ::testing::Not;

std::string output_of(const std::string& command) {
    std::string text;
    FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return text;
    char piece[65536];
    for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof piece, pipe)) > 0;) text.append(piece, got);
    return pclose(pipe) == 0 ? text : "";
}

std::string find_browser() {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
        const std::string found = output_of(fmt::format("command -v {}", name));
        if (!found.empty()) return name;
    }
    return "";
}

/// Text between the first `from` and the next `to` behind it.
std::optional<std::string> between(const std::string& text, const std::string& from, const std::string& to) {
    const auto begin = text.find(from);
    if (begin == std::string::npos) return {};
    const auto end = text.find(to, begin + from.size());
    return text.substr(begin + from.size(), end - begin - from.size());
}

/// The number in an attribute of the element with this id; -1 without it.
int number_of(const std::string& dom, const std::string& id, const std::string& attribute) {
    const std::string element = between(dom, fmt::format("id=\"{}\"", id), ">").value_or("");
    const auto text = between(element, attribute + "=\"", "\"");
    return text ? std::stoi(*text) : -1;
}

/// A test that is skipped where there is no browser.
class InBrowser : public ::testing::Test {
protected:
    void SetUp() override {
        browser_ = find_browser();
        if (browser_.empty()) GTEST_SKIP() << "there is no chromium, chromium-browser or google-chrome in PATH";
    }

    /// A page after its script has run, without an error.
    [[nodiscard]] std::string dom(const std::filesystem::path& file, const std::string& fragment) const {
        const std::string text = output_of(fmt::format(
            "timeout 300 {} --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir='{}' "
            "--window-size=1000,900 --virtual-time-budget=5000 --dump-dom 'file://{}#{}' 2>'{}'",
            browser_, (folder_.path() / "user").string(), file.string(), fragment, (folder_.path() / "log").string()));
        EXPECT_THAT(text, ::testing::HasSubstr("</html>")) << content_of(folder_.path() / "log");
        EXPECT_EQ(number_of(text, "errors", "data-errors"), 0) << between(text, "id=\"errors\"", "</pre>").value_or("");
        return text;
    }

    std::string browser_;
    TemporaryDirectory folder_;
};

/// Parts of the text that are like this.
int count_of(const std::string& text, const std::string& part) {
    const std::regex pattern(part);
    return static_cast<int>(
        std::distance(std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()));
}

class ViewInBrowser : public InBrowser {
protected:
    [[nodiscard]] std::string dom(const CsrMatrix<double>& a, const std::string& fragment,
                                  const std::string& selector = "bytes", std::size_t most = 5'000'000) const {
        const ViewPage page = view_page(a, convert(a, *make_policy(selector)),
                                        {.name = "a <b>", .selector = selector, .most_bytes = most});
        const std::string text = InBrowser::dom(folder_.file("view.html", page.html), fragment);
        EXPECT_THAT(text, HasSubstr("data-ready=\"true\""));
        return text;
    }
    /// The page after this JavaScript, which runs when it is ready and may leave what it finds in `found`.
    [[nodiscard]] std::string dom_after(const CsrMatrix<double>& a, const std::string& script) const {
        std::string page = view_page(a, convert(a, *make_policy("only:coo")), {.selector = "only:coo"}).html;
        const std::string driver =
            "<script>HTMLElement.prototype.setPointerCapture = () => {};\n"
            "const found = {}, canvas = document.getElementById('canvas');\n"
            "const key = (name) => canvas.dispatchEvent(new KeyboardEvent('keydown', {key: name, cancelable: true}));\n"
            "const pointer = (type, x, y, id = 1) => canvas.dispatchEvent(new PointerEvent('pointer' + type, "
            "{pointerId: id,\n"
            "  clientX: canvas.getBoundingClientRect().left + x, clientY: canvas.getBoundingClientRect().top + y}));\n"
            "const place = async () => {\n"  // the fragment follows a moment later
            "  await new Promise((done) => setTimeout(done, 300));\n"
            "  return new URLSearchParams(location.hash.slice(1)).get('at')?.split(',').map(Number) ?? [];\n"
            "};\n"
            "const drive = async () => {\n" +
            script +
            "  for (const name in found) document.body.setAttribute('data-' + name, found[name]);\n"
            "};\n"
            "const waiting = setInterval(() => {\n"
            "  if (!document.body.dataset.ready) return;\n"
            "  clearInterval(waiting);\n"
            "  drive().catch((error) => reportError(error.stack));\n"
            "}, 20);</script>";
        page.insert(page.rfind("</body>"), driver);
        return InBrowser::dom(folder_.file("driven.html", page), "");
    }
    static std::string body(const std::string& dom) { return between(dom, "<body", ">").value_or(""); }
    static std::string panel(const std::string& dom) {
        return between(dom, "<section id=\"tile\"", "</section>").value_or("");
    }
};

TEST_F(ViewInBrowser, ShowsATileWithItsBytesReasonAndSlots) {
    std::set<std::pair<index_t, index_t>> p;
    for (index_t r = 0; r < 16; ++r) {
        for (index_t c = 0; c < 5; ++c) p.emplace(32 + r, 16 + 3 * c);
    }
    for (index_t r = 0; r < 16; ++r) p.emplace(64 + r, 64 + r);  // a slot, and two entries
    p.insert({{0, 0}, {64, 70}, {66, 70}});
    const auto a = testing::matrix_of(100, 80, p);
    const std::string text = panel(dom(a, "tile=2,1", "paper"));
    EXPECT_THAT(text, HasSubstr("data-tile=\"2,1\""));
    EXPECT_THAT(text, HasSubstr("data-format=\"dense_col\""));
    EXPECT_THAT(text, HasSubstr("Every column is empty or full."));
    EXPECT_THAT(text, HasSubstr("32 to 47"));
    EXPECT_THAT(text, HasSubstr("80 of 256 (31%)"));
    EXPECT_EQ(count_of(text, "class=\"nz\""), 80);
    EXPECT_THAT(text, HasSubstr(fmt::format("data-bytes=\"{}\" data-name=\"dense\"", 256 * 8 + 32)));
    EXPECT_THAT(text, HasSubstr(fmt::format("data-bytes=\"{}\" data-name=\"coo\"", 80 * 9)));
    EXPECT_THAT(text, HasSubstr(fmt::format("data-bytes=\"{}\" data-name=\"CSR rows\"", 80 * 12)));
    EXPECT_THAT(text, HasSubstr("data-bytes=\"none\" data-name=\"dense_row\""));
    EXPECT_EQ(number_of(text, "lowered-tile", "data-slots"), 5);
    EXPECT_EQ(number_of(text, "lowered-tile", "data-entries"), 0);
    const std::string diagonal = panel(dom(a, "tile=4,4", "only:csr"));
    EXPECT_EQ(number_of(diagonal, "lowered-tile", "data-slots"), 1);
    EXPECT_EQ(number_of(diagonal, "lowered-tile", "data-entries"), 2);
    EXPECT_THAT(panel(dom(a, "tile=1,1")), HasSubstr("no nonzeros"));
}

TEST_F(ViewInBrowser, CountsTheSlotsOfStripsAsTheOperatorDoes) {
    for (const auto* generator : {"stencil27:n=20", "laplace2d:n=50", "fem:n=20,dof=3"}) {
        const auto a = generate<double>(generator);
        const std::string text = dom(a, fmt::format("tile=7,{}", a.col_idxs[a.row_ptrs[7 * kTileSize]] / kTileSize));
        EXPECT_THAT(panel(text), HasSubstr("this tile's nonzeros are in slot")) << generator;
        EXPECT_THAT(panel(text), HasSubstr("data-fill=\"windows\"")) << generator;
        EXPECT_GT(number_of(text, "lowered-strip", "data-slots"), 2);
        EXPECT_EQ(number_of(text, "lowered-strip", "data-counted"), number_of(text, "lowered-strip", "data-slots"));
    }
}

TEST_F(ViewInBrowser, NamesFormatsAndWhatIsLeftOut) {
    const auto a = generate<double>("rmat:scale=13,degree=8");
    const std::string page = dom(a, "format=coo");
    const std::string whole = between(page, "<body", "<script").value_or("");
    EXPECT_EQ(count_of(whole, "aria-pressed=\"true\""), 1);
    EXPECT_THAT(between(whole, "aria-pressed=\"true\"", ">").value_or(""), HasSubstr("data-format=\"coo\""));
    EXPECT_THAT(whole, HasSubstr("All tiles are in this page in detail."));
    EXPECT_THAT(between(page, "<title>", "</title>").value_or(""), HasSubstr("a &lt;b&gt;"))
        << "a hostile name is text";
    const std::string part = dom(a, "tile=500,500", "bytes", 80'000);
    EXPECT_THAT(between(part, "id=\"left-out\"", "</p>").value_or(""), HasSubstr("tiles in detail"));
    EXPECT_THAT(panel(part), HasSubstr("data-tile=\"500,500\""));
    EXPECT_THAT(part, Not(HasSubstr("NaN")));
}

TEST_F(ViewInBrowser, MovesByKeysWheelAndPointers) {
    const std::string text = dom_after(generate<double>("laplace2d:n=60"), R"(
        for (let i = 0; i < 12; ++i) key("+");
        const zoomed = await place();
        found.zoomed = zoomed[2] > 10;
        key("ArrowRight");
        const right = await place();
        found.right = right[1] > zoomed[1] && right[0] === zoomed[0];
        pointer("down", 300, 300);
        pointer("move", 300, 200);
        pointer("up", 300, 200);
        const dragged = await place();
        found.dragged = dragged[0] > right[0] && dragged[1] === right[1];
        canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: 100, cancelable: true}));
        found.wheeled = (await place())[2] < dragged[2];
        pointer("down", 200, 200, 1);
        pointer("down", 240, 200, 2);
        const before = await place();
        pointer("move", 400, 200, 2);
        found.pinched = (await place())[2] > 2 * before[2];
        pointer("up", 400, 200, 2);
        pointer("up", 200, 200, 1);
        key("0");
        found.whole = (await place()).length === 0;
    )");
    for (const char* what : {"zoomed", "right", "dragged", "wheeled", "pinched", "whole"})
        EXPECT_THAT(body(text), HasSubstr(fmt::format("data-{}=\"true\"", what)));
}

TEST_F(ViewInBrowser, ChoosesTilesByClicksExamplesAndKeys) {
    const std::string text = dom_after(testing::matrix_of(64, 64, {{40, 20}, {41, 20}, {0, 60}}), R"(
        const chosen = () => document.getElementById("tile").dataset.tile;
        document.querySelector("[aria-label='Show an example of coo']").click();
        found.example = chosen();
        pointer("down", canvas.clientWidth / 2 + 3, canvas.clientHeight / 2);
        pointer("up", canvas.clientWidth / 2 + 3, canvas.clientHeight / 2);
        found.clicked = chosen();
        key("ArrowUp");
        for (let i = 0; i < 20; ++i) key("ArrowUp");
        key("Enter");
        found.entered = chosen();
        location.hash = "#tile=0,3";
        await place();
        found.followed = chosen();
        document.querySelector("input[value=tile]").click();
        found.slots = [...document.querySelectorAll(".nz")].map((nz) => nz.dataset.slot).join();
    )");
    for (const char* what : {"example=\"2,1", "clicked=\"2,1", "entered=\"0,1", "followed=\"0,3", "slots=\"-1"})
        EXPECT_THAT(body(text), HasSubstr(fmt::format("data-{}\"", what)));
}

TEST_F(ViewInBrowser, ShowsMatricesOfAnyShape) {
    for (const auto& [rows, cols] : {std::pair{0, 0}, {1, 1}, {1, 5000}, {5000, 1}, {17, 40}}) {
        std::set<std::pair<index_t, index_t>> p;
        if (rows > 0) p = {{rows - 1, cols - 1}};
        const std::string text =
            dom(testing::matrix_of(rows, cols, p), fmt::format("tile={},{}", (rows - 1) / 16, (cols - 1) / 16));
        EXPECT_EQ(count_of(panel(text), "class=\"nz\""), rows > 0 ? 1 : 0) << rows << " x " << cols;
    }
}

}  // namespace
}  // namespace tilespmv::tools
