package preview

import (
	"bufio"
	"context"
	"errors"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"time"
)

const (
	// mostMemory is what decoding a picture may take, in bytes: a page of
	// paper in colours at 300 dots to the inch fits.
	mostMemory = 60 << 20
	// decodingTime limits the decoding of a picture, which one processor does.
	// It leaves room for what a decoder does after it has read the last byte.
	decodingTime = 1800 * time.Millisecond
	// sip is how much a decoder gets at once, in bytes. It can only be stopped
	// where it reads, and so few bytes can have it go over the whole picture.
	sip = 16
)

// readPicture decodes a PNG or JPEG within some time.
func readPicture(ctx context.Context, file *io.SectionReader, patience time.Duration) (image.Image, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	whole := func() *sipped { return &sipped{ctx: limited, r: io.NewSectionReader(file, 0, file.Size())} }
	config, format, err := image.DecodeConfig(whole())
	if err == nil {
		err = affordable(config, format, file)
	}
	var picture image.Image
	if err == nil {
		picture, _, err = image.Decode(whole())
	}
	var large *TooLargeError
	switch {
	case err == nil:
		return picture, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, ErrTooLong
	case errors.As(err, &large):
		return nil, err
	}
	return nil, ErrPicture
}

// sipped hands out a few bytes at a time, and none after the end of its
// context.
type sipped struct {
	ctx context.Context
	r   io.Reader
}

func (s *sipped) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p[:min(len(p), sip)])
}

// affordable returns an error where decoding a picture may take too much
// memory.
func affordable(config image.Config, format string, file *io.SectionReader) error {
	perPixel := pngCost
	if format == "jpeg" {
		perPixel = jpegCost
	}
	cost, err := perPixel(config.ColorModel, file)
	if err != nil {
		return err
	}
	// A JPEG is made of squares of up to 32 pixels. A PNG has two rows beside
	// the picture.
	width, height := (int64(config.Width)+31)/32*32, (int64(config.Height)+31)/32*32
	if config.Width <= 0 || config.Height <= 0 || width > mostMemory || height > mostMemory || width*height*cost > mostMemory {
		return &TooLargeError{config.Width, config.Height}
	}
	return nil
}

// pngCost returns how many bytes a pixel of a PNG takes while it is decoded.
func pngCost(model color.Model, file *io.SectionReader) (int64, error) {
	var cost int64 = 4
	switch model {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		cost = 8
	default:
		if _, ok := model.(color.Palette); ok {
			cost = 1
		}
	}
	// Where the header does not come first, it may be found anywhere.
	const kind, interlaced = 12, 28
	header := make([]byte, interlaced+1)
	if _, err := file.ReadAt(header, 0); err != nil {
		return 0, err
	}
	if string(header[kind:kind+4]) != "IHDR" || header[interlaced] != 0 {
		// An interlaced one is put together from pictures as large as itself.
		cost *= 2
	}
	return cost, nil
}

// jpegCost returns how many bytes a pixel of a JPEG takes while it is decoded.
func jpegCost(model color.Model, file *io.SectionReader) (int64, error) {
	// Of a pixel there are a byte a component, four after colours were
	// converted, and of a progressive one a coefficient of four bytes a
	// component.
	components, cost := int64(3), int64(3+4)
	switch model {
	case color.GrayModel:
		components, cost = 1, 1
	case color.CMYKModel:
		components, cost = 4, 4+4
	}
	progressive, err := mayBeProgressive(file)
	if progressive {
		cost += 4 * components
	}
	return cost, err
}

// mayBeProgressive reports whether the bytes that mark a progressive JPEG
// stand anywhere in it.
func mayBeProgressive(file *io.SectionReader) (bool, error) {
	r := bufio.NewReader(io.NewSectionReader(file, 0, file.Size()))
	for last := byte(0); ; {
		b, err := r.ReadByte()
		switch {
		case err == io.EOF:
			return false, nil
		case err != nil:
			return false, err
		case last == 0xff && b == 0xc2:
			return true, nil
		}
		last = b
	}
}
