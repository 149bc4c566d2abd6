#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tilespmv::tools {

struct Rgb {
    std::uint8_t r = 0;
    std::uint8_t g = 0;
    std::uint8_t b = 0;
    friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// White, black, and in between: `strength` 0 is white, 1 the colour itself.
Rgb tint(Rgb color, double strength);

/// Height of a line of text at scale 1, from the top of its capitals to the base line.
inline constexpr int kTextHeight = 7;

/// Width of a text at scale 1.
int text_width(std::string_view text);

/// A white picture to draw on. Positions are pixels from the top left corner; what lies outside is not drawn.
class Canvas {
public:
    Canvas(int width, int height);

    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }
    [[nodiscard]] Rgb at(int x, int y) const { return pixels_[index(x, y)]; }

    void fill(int x, int y, int width, int height, Rgb color);
    /// The outline of a rectangle, one pixel wide, inside of it.
    void frame(int x, int y, int width, int height, Rgb color);
    /// Printable ASCII (anything else becomes '?'), each dot of the letters a square of `scale` pixels; (x, y) is the
    /// top left corner.
    void text(int x, int y, int scale, Rgb color, std::string_view text);

    /// The picture as a PNG file. Throws `Error` if libpng fails.
    [[nodiscard]] std::vector<std::byte> png() const;

private:
    [[nodiscard]] std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
    }

    int width_;
    int height_;
    std::vector<Rgb> pixels_;
};

}  // namespace tilespmv::tools
