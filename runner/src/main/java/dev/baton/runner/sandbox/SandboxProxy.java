/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import dev.baton.protocol.workflow.SandboxHost;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * The HTTP proxy of a sandbox (RFC 9110, section 3.7): {@code CONNECT} for HTTPS, and requests with
 * an absolute URL for HTTP, to hosts that both the step and the runner permit. It resolves the
 * host's name itself and connects to an address that it has checked, so a name cannot change
 * between check and use. Each connection has one request. What passes through {@code CONNECT} is
 * not read: a permitted host that serves others, too, can be used to reach those. Immutable.
 */
final class SandboxProxy {
  private static final Logger LOG = Logger.getLogger(SandboxProxy.class);
  private static final int MAX_HEAD = 32 << 10;

  /** Bytes of a refused request that are read after its answer. */
  private static final long MAX_REST = 1L << 20;

  private static final int HTTP = 80;
  private static final int MAX_PORT = 65_535;
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final String CRLF = "\r\n";

  /** Headers for the proxy itself, and those of a connection, of which a request has its own. */
  private static final Set<String> DROPPED =
      Set.of("proxy-authorization", "proxy-connection", "connection", "keep-alive");

  private final List<SandboxHost> hosts;
  private final List<SandboxHost> permitted;
  private final AddressCheck addresses;

  /**
   * @param hosts of the step
   * @param permitted of the runner; empty for all
   */
  SandboxProxy(List<SandboxHost> hosts, List<SandboxHost> permitted, AddressCheck addresses) {
    this.hosts = List.copyOf(hosts);
    this.permitted = List.copyOf(permitted);
    this.addresses = addresses;
  }

  /** A request that is answered by the proxy. */
  private static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;
    private final String status;

    RefusedException(String status, String message) {
      super(message);
      this.status = status;
    }
  }

  /**
   * @param head what is sent to the target before the rest of the connection; empty for CONNECT
   */
  private record Target(String host, int port, byte[] head, boolean isTunnel) {}

  /** Variables by which programs find a proxy on a port of their loopback. */
  static Map<String, String> environment(int port) {
    String url = "http://127.0.0.1:" + port;
    String own = "localhost,127.0.0.1";
    return Map.of(
        "HTTP_PROXY", url,
        "HTTPS_PROXY", url,
        "http_proxy", url,
        "https_proxy", url,
        "NO_PROXY", own,
        "no_proxy", own);
  }

  /**
   * Serves one connection until it ends.
   *
   * @param outside is connected to the target; the caller closes both
   * @throws IOException when the connection breaks
   */
  void serve(SocketChannel inside, SocketChannel outside) throws IOException, InterruptedException {
    InputStream in = Channels.newInputStream(inside);
    Target target;
    try {
      target = target(head(in));
      connect(target, outside);
    } catch (RefusedException e) {
      LOG.infof("sandbox proxy: %s", e.getMessage());
      refuse(inside, in, e);
      return;
    }
    if (target.isTunnel()) {
      write(inside, "HTTP/1.1 200 Connection established" + CRLF + CRLF);
    } else {
      writeAll(outside, target.head());
    }
    Thread back =
        Thread.ofVirtual()
            .start(
                () ->
                    SandboxForwarderMain.copy(
                        Channels.newInputStream(outside),
                        Channels.newOutputStream(inside),
                        inside::shutdownOutput));
    SandboxForwarderMain.copy(in, Channels.newOutputStream(outside), outside::shutdownOutput);
    back.join();
  }

  /** Answers, and reads the rest of the request: bytes that are not read would reset the answer. */
  private static void refuse(SocketChannel inside, InputStream in, RefusedException refusal)
      throws IOException {
    byte[] text = ("sandbox: " + refusal.getMessage() + "\n").getBytes(StandardCharsets.UTF_8);
    write(
        inside,
        String.join(
            CRLF,
            "HTTP/1.1 " + refusal.status,
            "Content-Type: text/plain; charset=utf-8",
            "Content-Length: " + text.length,
            "Connection: close",
            "",
            ""));
    writeAll(inside, text);
    inside.shutdownOutput();
    byte[] rest = new byte[8 << 10];
    for (long left = MAX_REST; left > 0; ) {
      int read = in.read(rest);
      if (read < 0) {
        return;
      }
      left -= read;
    }
  }

  private static void write(SocketChannel to, String text) throws IOException {
    writeAll(to, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void writeAll(SocketChannel to, byte[] bytes) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(bytes);
    while (left.hasRemaining()) {
      to.write(left);
    }
  }

  /** Reads request line and headers, byte by byte: what follows belongs to the target. */
  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    int matched = 0;
    while (matched < 4) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("the connection ended within a request");
      }
      head.write(next);
      boolean isExpected = next == (matched % 2 == 0 ? '\r' : '\n');
      matched = isExpected ? matched + 1 : next == '\r' ? 1 : 0;
      if (head.size() > MAX_HEAD) {
        throw new RefusedException(
            "431 Request Header Fields Too Large",
            "a request to the proxy has more than " + MAX_HEAD + " bytes of headers");
      }
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  private static Target target(String head) throws RefusedException {
    List<String> lines = List.of(head.split(CRLF));
    String[] words = lines.getFirst().split(" ");
    if (words.length != 3 || !words[2].startsWith("HTTP/1.")) {
      throw malformed();
    }
    if (words[0].equals("CONNECT")) {
      int colon = words[1].lastIndexOf(':');
      if (colon <= 0) {
        throw malformed();
      }
      return new Target(
          name(words[1].substring(0, colon)),
          port(words[1].substring(colon + 1)),
          new byte[0],
          true);
    }
    URI uri;
    try {
      uri = URI.create(words[1]);
    } catch (IllegalArgumentException e) {
      throw malformed();
    }
    if (!"http".equalsIgnoreCase(uri.getScheme()) || uri.getHost() == null) {
      throw malformed();
    }
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    List<String> sent = new ArrayList<>(List.of(words[0] + " " + path + query + " " + words[2]));
    for (String line : lines.subList(1, lines.size())) {
      String key = line.split(":", 2)[0].strip().toLowerCase(Locale.ROOT);
      if (!DROPPED.contains(key)) {
        sent.add(line);
      }
    }
    sent.add("Connection: close");
    byte[] bytes = (String.join(CRLF, sent) + CRLF + CRLF).getBytes(StandardCharsets.ISO_8859_1);
    int port = uri.getPort() < 0 ? HTTP : port(Integer.toString(uri.getPort()));
    return new Target(name(uri.getHost()), port, bytes, false);
  }

  private static String name(String host) {
    return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
  }

  private static int port(String text) throws RefusedException {
    if (text.matches("[0-9]{1,5}")) {
      int port = Integer.parseInt(text);
      if (port >= 1 && port <= MAX_PORT) {
        return port;
      }
    }
    throw malformed();
  }

  private static RefusedException malformed() {
    return new RefusedException(
        "400 Bad Request",
        "a request to the proxy is neither CONNECT host:port nor one with an absolute http:// URL");
  }

  private void connect(Target target, SocketChannel outside) throws RefusedException {
    String host = target.host();
    int port = target.port();
    if (hosts.stream().noneMatch(one -> one.contains(host, port))) {
      throw forbidden(
          "%s:%d is not one of the step's 'hosts': %s".formatted(host, port, words(hosts)));
    }
    if (!permitted.isEmpty() && permitted.stream().noneMatch(one -> one.contains(host, port))) {
      throw forbidden(
          "this runner does not permit %s:%d; allowed by %s: %s"
              .formatted(host, port, SandboxSettings.HOSTS, words(permitted)));
    }
    InetAddress[] found;
    try {
      found = addresses.check(host, InetAddress.getAllByName(host));
    } catch (UnknownHostException e) {
      throw new RefusedException(
          "403 Forbidden", "%s:%d: %s".formatted(host, port, e.getMessage()));
    }
    try {
      outside
          .socket()
          .connect(new InetSocketAddress(found[0], port), Math.toIntExact(CONNECT.toMillis()));
    } catch (IOException e) {
      throw new RefusedException(
          "502 Bad Gateway", "%s:%d cannot be reached: %s".formatted(host, port, e.getMessage()));
    }
  }

  private static RefusedException forbidden(String message) {
    return new RefusedException("403 Forbidden", message);
  }

  private static String words(List<SandboxHost> hosts) {
    return hosts.stream().map(SandboxHost::toString).collect(Collectors.joining(", "));
  }
}
