# The marketplace service, or any other command of tonne, as an unprivileged
# user on a root file system that may be read-only.
#
#   docker build --build-arg VERSION=0.9.0 -t tonne .
#   docker run --read-only -v tonne:/data -p 127.0.0.1:8080:8080 tonne
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w -X tonne/ui/cli/command.release=$VERSION" -o /tonne . && mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /tonne /usr/bin/tonne
COPY --from=build --chown=nonroot:nonroot /data /data
ENV XDG_DATA_HOME=/data XDG_STATE_HOME=/data XDG_CONFIG_HOME=/data
VOLUME /data
EXPOSE 8080
USER nonroot
ENTRYPOINT ["/usr/bin/tonne"]
CMD ["serve", "--listen", ":8080", "--db", "/data/market.db"]
HEALTHCHECK --interval=10s --timeout=5s CMD ["/usr/bin/tonne", "serve", "--check", "--listen", ":8080"]
