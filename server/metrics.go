package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/mahabo/mahabo/internal/token"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what a server counts.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec   // by route and status
	seconds   *prometheus.HistogramVec // by route
	choosing  prometheus.Histogram
	fallbacks prometheus.Counter
	drafts    *prometheus.CounterVec // by fate
	waiting   prometheus.Gauge
	streams   prometheus.Gauge
}

func newMetrics(hosts func() float64) *metrics {
	buckets := []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mahabo_http_requests_total", Help: "Requests by route and status."}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mahabo_http_request_seconds", Help: "Time to answer by route.", Buckets: buckets}, []string{"route"}),
		choosing: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "mahabo_think_seconds", Help: "Time a method took to choose points.", Buckets: buckets}),
		fallbacks: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mahabo_ask_fallbacks_total", Help: "Batches that did not wait for their method."}),
		drafts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mahabo_drafts_total", Help: "Points chosen ahead of an ask, by what became of them: used, stale, late."}, []string{"fate"}),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "mahabo_asks_waiting", Help: "Asks that wait for a method."}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "mahabo_event_streams", Help: "Open streams of events."}),
	}
	open := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "mahabo_studies_open", Help: "Studies in memory."}, hosts)
	m.registry.MustRegister(m.requests, m.seconds, m.choosing, m.fallbacks, m.drafts, m.waiting, m.streams, open,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// measure counts requests by the route that they took.
func (s *Server) measure(routes http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		defer func() {
			route, status := r.Pattern, http.StatusOK
			if sw, ok := w.(*statusWriter); ok && sw.status != 0 {
				status = sw.status
			}
			s.metrics.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
			s.metrics.seconds.WithLabelValues(route).Observe(time.Since(start).Seconds())
		}()
		routes.ServeHTTP(w, r)
	})
}

// serveMetrics shows the counts to those who may read every study.
func (s *Server) serveMetrics() http.Handler {
	show := promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := s.identify(r)
		switch {
		case !ok:
			w.Header().Set("WWW-Authenticate", `Bearer realm="mahabo"`)
			writeProblem(w, http.StatusUnauthorized, unidentified(r))
		case !c.open && !c.token.AllowsAll(token.Read):
			writeProblem(w, http.StatusForbidden, "metrics are about all studies: use a token for the study *")
		default:
			show.ServeHTTP(w, r)
		}
	})
}
