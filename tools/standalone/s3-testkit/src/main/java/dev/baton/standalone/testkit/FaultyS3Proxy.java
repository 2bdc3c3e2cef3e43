/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.baton.standalone.testkit.HttpHead.Body;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;

/**
 * Proxy for an S3 endpoint, on 127.0.0.1, that fails a share of the requests in one of the ways of
 * {@link S3Fault}. Passes all others on byte for byte, so that their signatures stay valid.
 * Thread-safe.
 */
public final class FaultyS3Proxy implements AutoCloseable {
  private static final int BUFFER = 64 << 10;
  private static final int TIMEOUT_MILLIS = 60_000;
  private static final S3Fault[] FAULTS = S3Fault.values();

  private final ServerSocket door;
  private final URI target;
  private final Random random;
  private final Map<S3Fault, Integer> faults = new EnumMap<>(S3Fault.class);
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private DoubleSupplier share = () -> 0;
  private long requests;

  /** Creates a proxy without faults. */
  public FaultyS3Proxy(URI target, long seed) throws IOException {
    this.target = target;
    random = new Random(seed);
    door = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("faulty-s3").start(this::accept);
  }

  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + door.getLocalPort());
  }

  /**
   * @param some share of the requests that fail from now on, 0 to 1
   */
  public void fail(double some) {
    if (!(some >= 0 && some <= 1)) {
      throw new IllegalArgumentException("share " + some + " is not between 0 and 1");
    }
    fail(() -> some);
  }

  /**
   * @param some evaluated at each request: the share that fails, 0 to 1
   */
  public synchronized void fail(DoubleSupplier some) {
    share = some;
  }

  /** Returns how often each fault was injected. */
  public synchronized Map<S3Fault, Integer> faults() {
    return Map.copyOf(faults);
  }

  /** Returns the number of requests, including the failed ones. */
  public synchronized long requests() {
    return requests;
  }

  private synchronized Optional<S3Fault> fate() {
    requests++;
    if (random.nextDouble() >= share.getAsDouble()) {
      return Optional.empty();
    }
    S3Fault fault = FAULTS[random.nextInt(FAULTS.length)];
    faults.merge(fault, 1, Integer::sum);
    return Optional.of(fault);
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        Thread.ofVirtual().start(() -> serve(client));
      } catch (IOException e) {
        if (!door.isClosed()) {
          System.err.println("faulty-s3: " + e);
        }
      }
    }
  }

  /** Ends when either side, or a fault, has closed its connection. */
  private void serve(Socket client) {
    try (client;
        Socket server = new Socket(target.getHost(), target.getPort())) {
      open.add(client);
      open.add(server);
      // Head and body are written separately: with Nagle's algorithm, the second would wait until
      // the other side acknowledges the first.
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      client.setSoTimeout(TIMEOUT_MILLIS);
      server.setSoTimeout(TIMEOUT_MILLIS);
      InputStream asked = new BufferedInputStream(client.getInputStream(), BUFFER);
      InputStream answered = new BufferedInputStream(server.getInputStream(), BUFFER);
      boolean goesOn = true;
      while (goesOn) {
        Optional<HttpHead> request = HttpHead.read(asked);
        goesOn =
            request.isPresent()
                && new Exchange(request.get(), asked, client, answered, server).run(fate());
      }
    } catch (IOException closed) {
      // One side has closed its connection, as after an aborted request or the stop of a server.
      // The other side sees the close of this one.
      return;
    } finally {
      open.removeIf(Socket::isClosed);
    }
  }

  /** One request and its response. */
  private record Exchange(
      HttpHead request, InputStream asked, Socket client, InputStream answered, Socket server) {

    /** Returns whether another request may follow on the same connections. */
    boolean run(Optional<S3Fault> fate) throws IOException {
      if (fate.isEmpty()) {
        pass(request.requestBody(), Long.MAX_VALUE);
        return answer(Long.MAX_VALUE);
      }
      return switch (fate.get()) {
        case ANSWER_500 -> refuse("500 Internal Server Error", "InternalError");
        case ANSWER_503 -> refuse("503 Slow Down", "SlowDown");
        case RESET_BEFORE -> reset();
        case RESET_WITHIN_REQUEST -> {
          pass(request.requestBody(), half(request.requestBody()));
          yield reset();
        }
        case RESET_AFTER -> {
          pass(request.requestBody(), Long.MAX_VALUE);
          HttpHead head = HttpHead.read(answered).orElseThrow(EOFException::new);
          copy(answered, OutputStream.nullOutputStream(), head.answerBody(request.method()));
          yield reset();
        }
        case RESET_WITHIN_ANSWER -> {
          pass(request.requestBody(), Long.MAX_VALUE);
          answer(-1);
          yield reset();
        }
      };
    }

    private void pass(Body body, long most) throws IOException {
      OutputStream out = server.getOutputStream();
      out.write(request.bytes());
      copy(asked, out, atMost(body, most));
      out.flush();
    }

    /**
     * @param most maximum bytes of the body; negative for half of them
     */
    private boolean answer(long most) throws IOException {
      HttpHead head = HttpHead.read(answered).orElseThrow(EOFException::new);
      Body body = head.answerBody(request.method());
      OutputStream out = client.getOutputStream();
      out.write(head.bytes());
      copy(answered, out, atMost(body, most < 0 ? half(body) : most));
      out.flush();
      return !head.closes() && !(body instanceof Body.ToTheEnd);
    }

    private boolean refuse(String status, String code) throws IOException {
      copy(asked, OutputStream.nullOutputStream(), request.requestBody());
      String xml =
          request.method().equals("HEAD")
              ? ""
              : "<Error><Code>%s</Code><Message>Please try again.</Message></Error>"
                  .formatted(code);
      String answer =
          "HTTP/1.1 %s\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(status, xml.length(), xml);
      client.getOutputStream().write(answer.getBytes(ISO_8859_1));
      client.getOutputStream().flush();
      return true;
    }

    /** Simulates the loss of a host: no orderly end of the stream. */
    private boolean reset() throws IOException {
      client.setSoLinger(true, 0);
      server.setSoLinger(true, 0);
      return false;
    }

    private static Body atMost(Body body, long most) {
      return body instanceof Body.Fixed(long length) && most < length
          ? new Body.Fixed(most)
          : body instanceof Body.Fixed || most == Long.MAX_VALUE ? body : new Body.Fixed(most);
    }

    /** For a body of unknown length, its first bytes. */
    private static long half(Body body) {
      return body instanceof Body.Fixed(long length) ? length / 2 : 1;
    }
  }

  private static void copy(InputStream in, OutputStream out, Body body) throws IOException {
    switch (body) {
      case Body.Fixed(long length) -> copy(in, out, length);
      case Body.ToTheEnd() -> in.transferTo(out);
      case Body.Chunked() -> {
        long size;
        do {
          String line = line(in, out);
          size = Long.parseLong(line.split(";", 2)[0].strip(), 16);
          copy(in, out, size);
          line(in, out);
        } while (size > 0);
      }
    }
  }

  private static void copy(InputStream in, OutputStream out, long length) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long left = length;
    while (left > 0) {
      int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
      if (read < 0) {
        throw new EOFException("the connection ended " + left + " bytes before the body's end");
      }
      out.write(buffer, 0, read);
      left -= read;
    }
  }

  private static String line(InputStream in, OutputStream out) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0 || line.length() > 1_000) {
        throw new EOFException("a line has no end");
      }
      out.write(next);
      line.append((char) next);
    }
    out.write('\n');
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    door.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
