import { use, init, registerMap } from "echarts/core";
import { LineChart, ScatterChart, ParallelChart, HeatmapChart, CustomChart, BarChart } from "echarts/charts";
import { GridComponent, TooltipComponent, DataZoomComponent, VisualMapComponent, ParallelComponent, LegendComponent, MarkLineComponent } from "echarts/components";
import { SVGRenderer } from "echarts/renderers";
use([LineChart, ScatterChart, ParallelChart, HeatmapChart, CustomChart, BarChart, GridComponent, TooltipComponent, DataZoomComponent, VisualMapComponent, ParallelComponent, LegendComponent, MarkLineComponent, SVGRenderer]);
globalThis.echarts = { init };
