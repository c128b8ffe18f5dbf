package cli

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// brokerAddress and brokerDir are the environment of a NATS server, which is this program
// started again.
const (
	brokerAddress = "MAHABO_TEST_NATS"
	brokerDir     = "MAHABO_TEST_NATS_DIR"
)

// freeAddress is one that nobody listens on at the moment.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// broker is a NATS server that can be killed and started again at the same address.
type broker struct {
	t            *testing.T
	address, dir string
	process      *exec.Cmd
}

func startBroker(t *testing.T) *broker {
	t.Helper()
	b := &broker{t: t, address: freeAddress(t), dir: t.TempDir()}
	b.start()
	t.Cleanup(b.kill)
	return b
}

func (b *broker) start() {
	b.t.Helper()
	b.process = exec.CommandContext(b.t.Context(), os.Args[0])
	b.process.Env = append(os.Environ(), brokerAddress+"="+b.address, brokerDir+"="+b.dir)
	b.process.Stderr = os.Stderr
	if err := b.process.Start(); err != nil {
		b.t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.DialTimeout("tcp", b.address, time.Second)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("the NATS server does not listen: %v", err)
		}
	}
}

// kill ends it as a power cut would.
func (b *broker) kill() {
	_ = b.process.Process.Kill()
	_ = b.process.Wait()
}

// runBroker is a NATS server with JetStream until it is killed.
func runBroker() error {
	host, text, err := net.SplitHostPort(os.Getenv(brokerAddress))
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	s, err := server.NewServer(&server.Options{Host: host, Port: port, JetStream: true, StoreDir: os.Getenv(brokerDir), SyncAlways: true, NoLog: true})
	if err != nil {
		return fmt.Errorf("the NATS server: %w", err)
	}
	s.Start()
	s.WaitForShutdown()
	return nil
}
