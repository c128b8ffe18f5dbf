// Package chart is how the values of a study are drawn, on the dashboard and in reports alike:
// the data of charts, the script that draws them, and the sections of pages that explain what
// an analysis shows.
//
// A chart is a figure element:
//
//	<figure class="chart" data-chart="KIND"><script type="application/json">DATA</script><figcaption>...</figcaption></figure>
//
// chart.js draws every figure that brings its data along (drawAll), and a page's own script may
// draw others (draw(figure, data)). KIND is a function of chart.js from the data to an option of
// ECharts. To add a chart, add such a function to kinds, and write its figure with Figure, or in
// a template with {{figure "KIND" DATA "caption"}}; docs/ARCHITECTURE.md, "Charts", has an example.
//
// Nothing is loaded from elsewhere, no style or script is inline, and charts are SVG, so that
// they print well and tests can read their labels.
package chart
