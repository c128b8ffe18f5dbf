package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/mahabo/mahabo/study"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Broker is the server's side of the queue.
type Broker struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	demand chan study.Demand
	close  func() // what else there is to end
}

var _ study.Queue = (*Broker)(nil)

const (
	reconnect = 500 * time.Millisecond
	demands   = 1024 // that wait to be heard; those that do not fit come again
)

// Connect uses a NATS server or cluster with JetStream. The stream is made with one
// replica if it does not exist.
func Connect(ctx context.Context, url string, options ...nats.Option) (*Broker, error) {
	conn, err := dial(url, options...)
	if err != nil {
		return nil, err
	}
	b, err := newBroker(ctx, conn, func() {})
	if err != nil {
		conn.Close()
		return nil, err
	}
	return b, nil
}

func dial(url string, options ...nats.Option) (*nats.Conn, error) {
	options = append([]nats.Option{nats.Name("mahabo"), nats.MaxReconnects(-1), nats.ReconnectWait(reconnect)}, options...)
	conn, err := nats.Connect(url, options...)
	if err != nil {
		return nil, fmt.Errorf("NATS at %s: %w", withoutUser(url), err)
	}
	return conn, nil
}

// startPatience is how long one that begins to work waits for a broker that is away: it may be
// starting itself, or again.
const startPatience = 10 * time.Second

// dialPatiently is for those who work.
func dialPatiently(url string, options ...nats.Option) (*nats.Conn, error) {
	for end := time.Now().Add(startPatience); ; time.Sleep(reconnect) {
		conn, err := dial(url, options...)
		if err == nil || !isAway(err) || time.Now().After(end) {
			return conn, err
		}
	}
}

// isAway says whether nobody was there, or not to the end of the greeting.
func isAway(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, io.EOF)
}

// withoutUser leaves out what an error should not show.
func withoutUser(url string) string {
	if scheme, rest, ok := strings.Cut(url, "://"); ok {
		return scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
	}
	return url
}

func newBroker(ctx context.Context, conn *nats.Conn, closer func()) (*Broker, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	b := &Broker{conn: conn, js: js, demand: make(chan study.Demand, demands), close: closer}
	if err := b.makeStream(ctx); err != nil {
		return nil, fmt.Errorf("NATS stream %s: %w", streamName, err)
	}
	if _, err := conn.QueueSubscribe(want+"*", "mahabo", b.hear); err != nil {
		return nil, err
	}
	return b, nil
}

// makeStream leaves a stream that exists as it is: it may have been given replicas.
func (b *Broker) makeStream(ctx context.Context) error {
	_, err := b.js.Stream(ctx, streamName)
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	_, err = b.js.CreateStream(ctx, jetstream.StreamConfig{
		Name:                 streamName,
		Description:          "trials of mahabo that are on offer or with workers",
		Subjects:             []string{trials + "*.*"},
		Retention:            jetstream.WorkQueuePolicy,
		Storage:              jetstream.FileStorage,
		MaxMsgsPerSubject:    1,
		Discard:              jetstream.DiscardNew,
		DiscardNewPerSubject: true,
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another server was faster
		return nil
	}
	return err
}

// hear passes on that workers wait.
func (b *Broker) hear(m *nats.Msg) {
	var d study.Demand
	if json.Unmarshal(m.Data, &d) != nil || m.Subject != want+key(d.Study) {
		return
	}
	select {
	case b.demand <- d:
	default:
	}
}

// Demands tells of studies that workers wait for.
func (b *Broker) Demands() <-chan study.Demand { return b.demand }

// Wanted returns how many trials workers wait for, less those on offer.
func (b *Broker) Wanted(ctx context.Context, name string) (int, error) {
	consumer, err := b.js.Consumer(ctx, streamName, key(name))
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	info, err := consumer.Info(ctx)
	if err != nil {
		return 0, err
	}
	return max(0, info.NumWaiting-int(info.NumPending)), nil
}

// Offer adds trials. One that is there already stays as it is.
func (b *Broker) Offer(ctx context.Context, name string, numbers ...int) error {
	for _, n := range numbers {
		if _, err := b.js.Publish(ctx, subject(name, n), []byte(name)); err != nil && !isThere(err) {
			return fmt.Errorf("offering trial %d: %w", n, err)
		}
	}
	return nil
}

// isThere says whether a stream refused a message because it has one of this subject.
func isThere(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && strings.Contains(refused.Description, "maximum messages per subject")
}

// Offered returns the trials that are on offer or with workers.
func (b *Broker) Offered(ctx context.Context, name string) ([]int, error) {
	stream, err := b.js.Stream(ctx, streamName)
	if err != nil {
		return nil, err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(subjectsOf(name)))
	if err != nil {
		return nil, err
	}
	var numbers []int
	for subject := range info.State.Subjects {
		numbers = append(numbers, numberOf(subject))
	}
	slices.Sort(numbers)
	return numbers, nil
}

// Close leaves the broker. An embedded one ends; what it holds stays on disk.
func (b *Broker) Close() error {
	b.conn.Close()
	b.close()
	return nil
}
