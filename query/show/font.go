package show

import (
	"image"
	"image/color"
	"strconv"
)

// glyphs are the glyphs of ASCII from the blank on, 5 columns of 8 bits each in hexadecimal, the
// top row in the lowest bit.
const glyphs = "" +
	"0000000000" + "00005F0000" + "0007000700" + "147F147F14" + "242A7F2A12" + "2313086462" + "3649552250" + "0005030000" +
	"001C224100" + "0041221C00" + "14083E0814" + "08083E0808" + "0050300000" + "0808080808" + "0060600000" + "2010080402" +
	"3E5149453E" + "00427F4000" + "4261514946" + "2141454B31" + "1814127F10" + "2745454539" + "3C4A494930" + "0171090503" +
	"3649494936" + "064949291E" + "0036360000" + "0056360000" + "0814224100" + "1414141414" + "0041221408" + "0201510906" +
	"324979413E" + "7E1111117E" + "7F49494936" + "3E41414122" + "7F4141221C" + "7F49494941" + "7F09090901" + "3E4149497A" +
	"7F0808087F" + "00417F4100" + "2040413F01" + "7F08142241" + "7F40404040" + "7F020C027F" + "7F0408107F" + "3E4141413E" +
	"7F09090906" + "3E4151215E" + "7F09192946" + "4649494931" + "01017F0101" + "3F4040403F" + "1F2040201F" + "3F4038403F" +
	"6314081463" + "0708700807" + "6151494543" + "007F414100" + "0204081020" + "0041417F00" + "0402010204" + "4040404040" +
	"0001020400" + "2054545478" + "7F48444438" + "3844444420" + "384444487F" + "3854545418" + "087E090102" + "0C5252523E" +
	"7F08040478" + "00447D4000" + "2040443D00" + "7F10284400" + "00417F4000" + "7C04180478" + "7C08040478" + "3844444438" +
	"7C14141408" + "081414187C" + "7C08040408" + "4854545420" + "043F444020" + "3C4040207C" + "1C2040201C" + "3C4030403C" +
	"4428102844" + "0C5050503C" + "4464544C44" + "0008364100" + "00007F0000" + "0041360800" + "0804081008"

// Size of a glyph in pixels, including the gap after it.
const (
	glyphWidth  = 6
	glyphHeight = 7
)

// text writes a line of text, with letters as large as whole pixels allow.
func (p *raster) text(a attributes, text string) {
	c, alpha, ok := a.ink("fill", inkColour)
	if !ok {
		return
	}
	scale := max(int(a.number("font-size", 13)/10), 1)
	letters := []rune(text)
	x, y := int(a.number("x", 0)), int(a.number("y", 0))-glyphHeight*scale
	switch width := glyphWidth * scale * len(letters); a["text-anchor"] {
	case "middle":
		x -= width / 2
	case "end":
		x -= width
	}
	for i, letter := range letters {
		if letter == '\u00a0' {
			letter = ' '
		}
		if letter < ' ' || letter > '~' {
			letter = '?'
		}
		for column := range glyphWidth - 1 {
			at := 10*int(letter-' ') + 2*column
			bits, err := strconv.ParseUint(glyphs[at:at+2], 16, 8)
			if err != nil {
				panic("show: the font is broken: " + glyphs[at:at+2])
			}
			for row := range glyphHeight {
				if bits>>row&1 == 0 {
					continue
				}
				for dy := range scale {
					for dx := range scale {
						p.dot(x+(glyphWidth*i+column)*scale+dx, y+row*scale+dy, c, alpha)
					}
				}
			}
		}
	}
}

// dot blends a colour over a pixel, if it is on the page.
func (p *raster) dot(x, y int, c color.RGBA, alpha float64) {
	if (image.Point{X: x, Y: y}).In(p.clip) {
		at := (*[4]uint8)(p.img.Pix[p.img.PixOffset(x, y):])
		*at = [4]uint8{blend(at[0], c.R, alpha), blend(at[1], c.G, alpha), blend(at[2], c.B, alpha), 255}
	}
}
