# An image from scratch: the static binary, certificates for databases that speak TLS, and a folder for data.
#
#   docker build -t mahabo .
#   docker run --rm -v mahabo:/data mahabo token create --token-file /data/tokens --role admin --name me
#   docker run -p 8080:8080 -v mahabo:/data mahabo
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags "-s -w -X main.release=${VERSION}" -o /out/mahabo ./cmd/mahabo \
    && mkdir -p /out/data /out/tmp /out/etc/ssl/certs \
    && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/ \
    && chown 65532:65532 /out/data /out/tmp

FROM scratch
COPY --from=build /out /
USER 65532:65532
VOLUME /data
WORKDIR /data
EXPOSE 8080
ENTRYPOINT ["/mahabo"]
CMD ["serve", "--addr", "0.0.0.0:8080", "--token-file", "/data/tokens", "--store", "sqlite:/data/mahabo.db"]
