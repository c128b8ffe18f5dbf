// Package figure is how figures and the pages that hold them look: colours, fonts, ticks,
// and SVG that follows the reader's dark mode.
package figure
