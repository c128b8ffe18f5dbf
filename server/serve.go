package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"
)

// grace is how long requests may take after a server was told to stop.
const grace = 30 * time.Second

// Serve answers requests on a listener until ctx ends; requests under way are then
// finished. With a certificate it speaks TLS.
func (s *Server) Serve(ctx context.Context, listener net.Listener, certificate *tls.Certificate) error {
	front := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.limits.Silence,
		ConnContext:       s.visitors.arrive,
		ConnState:         s.visitors.change,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	front.RegisterOnShutdown(s.EndStreams)
	ended := make(chan error, 1)
	go func() {
		if certificate == nil {
			ended <- front.Serve(listener)
			return
		}
		front.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*certificate}}
		ended <- front.ServeTLS(listener, "", "")
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.log.Info("shutting down")
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := front.Shutdown(patience)
	if err != nil {
		err = errors.Join(err, front.Close())
	}
	<-ended // http.ErrServerClosed
	return err
}
