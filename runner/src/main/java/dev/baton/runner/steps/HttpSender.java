/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import dev.baton.protocol.tls.TlsSettings;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.impl.routing.SystemDefaultRoutePlanner;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.DefaultHostnameVerifier;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseParserFactory;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.net.URIAuthority;
import org.apache.hc.core5.ssl.SSLContexts;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over HTTP/1.1 and follows their redirects. Requests no upgrade, sends no header
 * that neither the step nor the protocol requires, and reads no more of a response than the limit.
 * Each request uses a new connection: on a reused one, a server that is closing it cannot be
 * distinguished from one that has just processed the request. Thread-safe.
 */
final class HttpSender {
  private static final int MAX_REDIRECTS = 5;
  private static final int MAX_CONNECTIONS = 10_000;
  private static final int MAX_HEADERS = 1_000;
  private static final int MAX_LINE = 64 * 1024;
  private static final Duration CONNECT = Duration.ofSeconds(10);

  private final int maxBody;
  private final DnsResolver names;
  private final HttpAddressPolicy addresses;
  private final TlsSettings tls;
  private @Nullable CloseableHttpClient client;

  /**
   * @param maxBody limit of a response body in bytes
   * @param names resolves host names
   * @param addresses to which requests and redirects may connect
   * @param tls whose authorities servers may have, in addition to those of the JDK
   */
  HttpSender(int maxBody, DnsResolver names, HttpAddressPolicy addresses, TlsSettings tls) {
    this.tls = tls;
    this.maxBody = maxBody;
    this.addresses = addresses;
    this.names = new PermittedResolver(names, addresses);
  }

  /** Resolves a name to the addresses that are connected to, so that no later answer differs. */
  private record PermittedResolver(DnsResolver names, HttpAddressPolicy addresses)
      implements DnsResolver {
    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
      return addresses.check(host, names.resolve(host));
    }

    @Override
    public String resolveCanonicalHostname(String host) throws UnknownHostException {
      return names.resolveCanonicalHostname(host);
    }
  }

  /** Creates the client at the first request, because it loads TLS. */
  private synchronized CloseableHttpClient client() {
    CloseableHttpClient made = client;
    if (made == null) {
      made = make(names, context(tls));
      client = made;
    }
    return made;
  }

  /** The context of the JDK may also present a certificate, which its properties name. */
  private static SSLContext context(TlsSettings tls) {
    return tls.trust().isEmpty() ? SSLContexts.createSystemDefault() : tls.contextOfOthers();
  }

  private static CloseableHttpClient make(DnsResolver names, SSLContext tls) {
    Http1Config limits =
        Http1Config.custom().setMaxHeaderCount(MAX_HEADERS).setMaxLineLength(MAX_LINE).build();
    return HttpClients.custom()
        .setConnectionManager(
            PoolingHttpClientConnectionManagerBuilder.create()
                .setDnsResolver(names)
                .setConnectionFactory(
                    ManagedHttpClientConnectionFactory.builder()
                        .http1Config(limits)
                        // The client's default parser skips lines that are not a status line.
                        .responseParserFactory(new DefaultHttpResponseParserFactory(limits))
                        .build())
                // The JDK's own check rejects host names with underscores.
                .setTlsSocketStrategy(
                    new DefaultClientTlsStrategy(
                        tls, HostnameVerificationPolicy.CLIENT, new DefaultHostnameVerifier()))
                .setDefaultConnectionConfig(
                    ConnectionConfig.custom().setConnectTimeout(Timeout.of(CONNECT)).build())
                // One connection per step in progress, so at most as many as slots.
                .setMaxConnTotal(MAX_CONNECTIONS)
                .setMaxConnPerRoute(MAX_CONNECTIONS)
                .build())
        .setRoutePlanner(new SystemDefaultRoutePlanner(ProxySelector.getDefault()))
        .setUserAgent("baton-runner")
        .setConnectionReuseStrategy((request, answer, context) -> false)
        .disableRedirectHandling()
        .disableAutomaticRetries()
        .disableContentCompression()
        .disableCookieManagement()
        .disableAuthCaching()
        .build();
  }

  /** The response body exceeds the limit. */
  static final class TooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    TooLargeException(int most) {
      super("the response body has more than " + most + " bytes");
    }
  }

  /**
   * Sends the request, follows its redirects, and waits for the complete response.
   *
   * @param limit of the whole exchange
   * @throws TimeoutException when the limit is exceeded
   * @throws TooLargeException when the response body exceeds its limit
   * @throws IOException when the response is incomplete or not HTTP
   */
  HttpStepRequest.Answer send(HttpStepRequest message, Duration limit)
      throws IOException, InterruptedException, TimeoutException {
    long end = System.nanoTime() + limit.toNanos();
    AtomicReference<@Nullable HttpUriRequestBase> current = new AtomicReference<>();
    FutureTask<HttpStepRequest.Answer> exchange =
        new FutureTask<>(() -> follow(message, limit, current));
    Thread thread = Thread.ofVirtual().name("http-" + message.target()).start(exchange);
    try {
      return exchange.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw cause(e);
    } finally {
      thread.interrupt();
      HttpUriRequestBase request = current.get();
      if (request != null) {
        request.cancel();
      }
    }
  }

  private static IOException cause(ExecutionException e) {
    return switch (e.getCause()) {
      case Error error -> throw error;
      case IOException io -> io;
      case Throwable other -> new IOException(other);
      case null -> new IOException(e);
    };
  }

  private HttpStepRequest.Answer follow(
      HttpStepRequest first, Duration limit, AtomicReference<@Nullable HttpUriRequestBase> current)
      throws IOException {
    HttpStepRequest message = first;
    for (int redirects = 0; ; redirects++) {
      HttpStepRequest.Answer answer = exchange(message, limit, current);
      String location = answer.headers().get("location");
      if (!HttpStepRequest.isRedirect(answer.status()) || location == null) {
        return answer;
      }
      HttpTarget to;
      try {
        to = message.target().redirected(location);
      } catch (IllegalArgumentException e) {
        throw new IOException("redirect target is not valid: " + e.getMessage(), e);
      }
      if (message.target().isSecure() && !to.isSecure()) {
        return answer; // Never redirect from https to http.
      }
      if (redirects == MAX_REDIRECTS) {
        throw new IOException("redirected more than " + MAX_REDIRECTS + " times");
      }
      message = message.redirected(answer.status(), to);
    }
  }

  private HttpStepRequest.Answer exchange(
      HttpStepRequest message,
      Duration limit,
      AtomicReference<@Nullable HttpUriRequestBase> current)
      throws IOException {
    HttpTarget target = message.target();
    checkLiteral(target);
    HttpUriRequestBase request = new HttpUriRequestBase(message.method(), URI.create("/"));
    request.setScheme(target.host().getSchemeName());
    request.setAuthority(new URIAuthority(target.host()));
    request.setPath(target.path());
    message.headers().forEach(request::setHeader);
    request.setHeader("Connection", "close");
    if (message.body() != null) {
      // The content type is among the headers.
      request.setEntity(new ByteArrayEntity(message.body(), null));
    }
    request.setConfig(
        RequestConfig.custom()
            .setProtocolUpgradeEnabled(false)
            .setConnectionRequestTimeout(Timeout.of(limit))
            .setResponseTimeout(Timeout.of(limit))
            .build());
    current.set(request);
    if (Thread.currentThread().isInterrupted()) {
      throw new IOException("the step has ended");
    }
    return client().execute(target.host(), request, answer -> read(request, answer));
  }

  /** Checks an address in a URL itself, since a proxy would resolve it instead of the runner. */
  private void checkLiteral(HttpTarget target) throws HttpAddressPolicy.DeniedAddressException {
    String host = target.host().getHostName();
    InetAddress literal;
    try {
      literal = InetAddress.ofLiteral(host);
    } catch (IllegalArgumentException notALiteral) {
      return; // A name, which is checked when it is resolved.
    }
    addresses.check(host, new InetAddress[] {literal});
  }

  private HttpStepRequest.Answer read(HttpUriRequestBase request, ClassicHttpResponse response)
      throws IOException {
    Map<String, String> headers = new LinkedHashMap<>();
    for (Header header : response.getHeaders()) {
      headers.merge(
          header.getName().toLowerCase(Locale.ROOT),
          Objects.requireNonNullElse(header.getValue(), ""),
          (one, other) -> one + ", " + other);
    }
    HttpEntity entity = response.getEntity();
    byte[] body = new byte[0];
    if (entity != null) {
      try (InputStream in = entity.getContent()) {
        body = in.readNBytes(maxBody);
        if (in.read() >= 0) {
          // Otherwise close() would read the rest of the body to reuse the connection.
          request.cancel();
          throw new TooLargeException(maxBody);
        }
      }
    }
    return new HttpStepRequest.Answer(response.getCode(), headers, body);
  }
}
