#include "selector/policy.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "formats/list.hpp"
#include "selector/bytes.hpp"
#include "selector/paper.hpp"
#include "selector/reasoned_policy.hpp"
#include "tile/error.hpp"
#include "tile/options/options.hpp"

namespace tilespmv {
namespace {

using Policy = std::unique_ptr<TilePolicy>;

/// One format wherever it can hold the tile, and a second one, which must hold any, elsewhere.
class OnlyPolicy final : public ReasonedPolicy {
public:
    OnlyPolicy(int first, int second) : first_(first), second_(second) {}
    [[nodiscard]] TileChoice choose(const TilePattern& pattern, int value_bytes) const override {
        for (const int format : {first_, second_}) {
            if (const auto size = formats::size_in(format, pattern, value_bytes)) return {format, *size};
        }
        throw Error("selector only: the second format cannot hold every tile; take csr", ExitCode::usage);
    }
    [[nodiscard]] std::string reason(const TilePattern& pattern, int value_bytes) const override {
        return choose(pattern, value_bytes).format == first_
                   ? "the selector takes this format wherever it can hold the tile"
                   : "the format that the selector prefers cannot hold the tile";
    }

private:
    int first_, second_;  // ids
};

Policy with_rules(PaperRules rules, Options& options) {
    rules.read(options);
    return std::make_unique<PaperPolicy>(rules);
}

/// The same, deferring by default what would be coo.
Policy with_rules_deferred(PaperRules rules, Options& options) {
    rules.read(options);
    rules.defer = static_cast<int>(options.whole("defer", rules.coo, 0, 256));
    return std::make_unique<PaperPolicy>(rules);
}

Policy make_paper(Options& options) { return with_rules({}, options); }
Policy make_paper_deferred(Options& options) { return with_rules_deferred({}, options); }
Policy make_paper_tuned(Options& options) { return with_rules(PaperRules::tuned(), options); }
Policy make_paper_tuned_deferred(Options& options) { return with_rules_deferred(PaperRules::tuned(), options); }

Policy make_paper_csr(Options&) {
    const int csr = formats::id_of<formats::Csr>;
    return std::make_unique<OnlyPolicy>(csr, csr);
}

Policy make_bytes(Options& options) {
    const auto saving = static_cast<int>(options.whole("saving", 0, 0, 4096));
    const bool defer = options.flag("defer", true);
    return std::make_unique<BytesPolicy>(saving, defer, options.flag("walked", false));
}

struct Entry {
    SelectorInfo info;
    Policy (*make)(Options&);
};

/// To add a selector: its policy in a file of its own, one entry here.
const std::array kSelectors{
    Entry{{"paper",
           "the published rules; options dense (a number, published or cpu-code) coo ell ell_fill hyb hyb_rest hyb_coo "
           "are their thresholds; defer_hyb=1 leaves the COO part of hyb to a CSR remainder"},
          make_paper},
    Entry{{"paper-csr", "published configuration 1: every tile csr"}, make_paper_csr},
    Entry{{"paper-adaptive", "published configuration 2: the rules of `paper`"}, make_paper},
    Entry{{"paper-deferred",
           "published configuration 3: `paper`, but tiles of at most `defer` (as `coo`: 12) nonzeros go to a CSR "
           "remainder"},
          make_paper_deferred},
    Entry{{"paper-tuned", "not published: the rules of `paper` with ell_fill=0.75,hyb_rest=256,hyb_coo=0.5"},
          make_paper_tuned},
    Entry{{"paper-tuned-deferred", "not published: `paper-tuned`, deferring as `paper-deferred` does"},
          make_paper_tuned_deferred},
    Entry{
        {"bytes",
         "fewest bytes; a tile stays one if that saves at least `saving` (0) bytes; defer=0 keeps all tiles; walked=1 "
         "takes formats that the CPU multiplies one nonzero at a time, too"},
        make_bytes},
};

std::vector<std::string> only_names() {
    std::vector<std::string> names;
    for (const auto& format : formats::format_table()) names.push_back(fmt::format("only:{}", format.name));
    return names;
}

/// `only:<format>[:else=<format>]`, the second one for tiles that the first cannot hold.
Policy make_only(std::string_view rest) {
    const auto colon = rest.find(':');
    const int first = formats::format_id(rest.substr(0, colon));
    Options options("selector", colon == std::string_view::npos ? "only" : fmt::format("only{}", rest.substr(colon)));
    const int second = formats::format_id(options.word("else", formats::Csr::name));
    options.finish();
    return std::make_unique<OnlyPolicy>(first, second);
}

}  // namespace

std::span<const SelectorInfo> selectors() {
    static const auto only = only_names();
    static const auto all = [] {
        std::vector<SelectorInfo> list;
        list.reserve(kSelectors.size() + only.size());
        for (const auto& entry : kSelectors) list.push_back(entry.info);
        for (const auto& name : only)
            list.push_back({name, "that format wherever it can hold the tile, else `else` (csr)"});
        return list;
    }();
    return all;
}

std::unique_ptr<TilePolicy> make_policy(std::string_view specification) {
    constexpr std::string_view only = "only:";
    if (specification.starts_with(only)) return make_only(specification.substr(only.size()));
    Options options("selector", specification);
    std::string names;
    for (const auto& [info, make] : kSelectors) {
        if (info.name == options.name()) {
            auto policy = make(options);
            options.finish();
            return policy;
        }
        names += fmt::format("{}, ", info.name);
    }
    throw Error(fmt::format("unknown selector '{}'; there are {}only:<format>", options.name(), names),
                ExitCode::usage);
}

}  // namespace tilespmv
