// Drives a fuzz target where libFuzzer is not at hand: mutates the files of a corpus for a while, the same way for the
// same seed. An input that crashes or hangs is saved to crash-<program> in the current directory; given as the only
// file and with
// --seconds 0 it is run again.
//
//     fuzz_NAME [--seconds N] [--seed N] [FILE or DIRECTORY]...
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestInput = 1 << 16;

std::string program = "fuzz";
std::string input;  // the one that is run, for `save_input`

void save_input() {
    const auto name = "crash-" + program;
    std::ofstream(name, std::ios::binary) << input;
    std::fprintf(stderr, "%s: the input is in %s\n", program.c_str(), name.c_str());
}

void on_signal(int signal) {
    save_input();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// Inputs, and the random choices that make new ones of them.
class Mutator {
public:
    Mutator(std::vector<std::string> corpus, std::uint64_t seed) : corpus_(std::move(corpus)), random_(seed) {}

    std::string next() {
        std::string text = pick(corpus_);
        for (std::size_t edits = 1 + below(6); edits > 0; --edits) edit(text);
        text.resize(std::min(text.size(), kLargestInput));
        return text;
    }

private:
    std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
    template <class C>
    const typename C::value_type& pick(const C& c) {
        return c[below(c.size())];
    }

    void edit(std::string& text) {
        using namespace std::string_view_literals;
        static const std::vector<std::string_view> words{"\n"sv,      "\r\n",
                                                         " ",         "%",
                                                         "-",         "+",
                                                         ".",         "e",
                                                         "0",         "1",
                                                         "9",         "nan",
                                                         "inf",       "1e999",
                                                         "1e-999",    "2147483648",
                                                         "100000000", "9007199254740993",
                                                         "symmetric", "99999999999999999999",
                                                         "1 1 1\n",   "1 2\n",
                                                         "\0"sv};
        const std::size_t place = below(text.size() + 1);
        const std::size_t length = below(std::min<std::size_t>(text.size() - place, 40) + 1);
        switch (below(6)) {
            case 0:
                text.insert(place, pick(words));
                break;
            case 1:
                text.erase(place, length);
                break;
            case 2:
                text.replace(place, length, pick(words));
                break;
            case 3:
                text.insert(below(text.size() + 1), text.substr(place, length));
                break;
            case 4:
                splice(text, place);
                break;
            default:
                if (place < text.size()) text[place] = static_cast<char>(text[place] ^ 1 << below(8));
        }
    }

    void splice(std::string& text, std::size_t place) {
        const std::string& other = pick(corpus_);
        const std::size_t from = below(other.size() + 1);
        text.insert(place, other.substr(from, below(100)));
    }

    std::vector<std::string> corpus_;
    std::mt19937_64 random_;
};

void add_file(std::vector<std::string>& corpus, const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

std::vector<std::string> load_corpus(const std::vector<fs::path>& paths) {
    std::vector<fs::path> files;
    for (const auto& path : paths) {
        if (!fs::is_directory(path))
            files.push_back(path);
        else
            for (const auto& entry : fs::recursive_directory_iterator(path)) {
                if (entry.is_regular_file()) files.push_back(entry.path());
            }
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> corpus;
    for (const auto& file : files) add_file(corpus, file);
    if (corpus.empty()) corpus.emplace_back();
    return corpus;
}

void run(std::string text) {
    input = std::move(text);
    constexpr unsigned longest_seconds = 60;  // an input that takes longer hangs
    alarm(longest_seconds);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
    program = fs::path(argv[0]).filename().string();
    double seconds = 5;
    std::uint64_t seed = 1;
    std::vector<fs::path> paths;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--seconds" && i + 1 < argc)
            seconds = std::atof(argv[++i]);
        else if (argument == "--seed" && i + 1 < argc)
            seed = std::strtoull(argv[++i], nullptr, 10);
        else
            paths.emplace_back(argument);
    }
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM}) std::signal(signal, on_signal);
    if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(save_input);

    const auto corpus = load_corpus(paths);
    for (const auto& text : corpus) run(text);
    Mutator mutator(corpus, seed);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    std::size_t runs = 0;
    for (; std::chrono::steady_clock::now() < end; ++runs) run(mutator.next());
    std::printf("%s: %zu inputs, seed %llu\n", program.c_str(), runs, static_cast<unsigned long long>(seed));
}
