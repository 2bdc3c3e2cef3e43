/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.net;

import java.net.URI;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides from the headers alone whether a web page of another origin may have sent a request to a
 * service's HTTP port. A browser always sends the origin of a request: in {@code Host} (against a
 * page whose own name was made to resolve to this service's address), in {@code Origin} and in
 * {@code Sec-Fetch-Site}; and without a preflight request it sends only three content types.
 * Programs other than browsers send neither {@code Origin} nor {@code Sec-Fetch-Site}.
 *
 * <p>Pure and immutable, thus thread-safe.
 */
public final class WebRequestPolicy {
  private static final Pattern AUTHORITY =
      Pattern.compile("(\\[[0-9a-fA-F:.]{2,45}]|[A-Za-z0-9._-]{1,253})(?::[0-9]{1,5})?");
  private static final Pattern HOST =
      Pattern.compile("\\[?[0-9a-fA-F]*:[0-9a-fA-F:.]+]?|[A-Za-z0-9._-]{1,253}");
  private static final Pattern LOOPBACK = Pattern.compile("127(?:\\.\\d{1,3}){3}");
  private static final Set<String> CHANGING = Set.of("POST", "PUT", "PATCH", "DELETE");
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  /** Content types that a page may send to any origin without a preflight request. */
  private static final Set<String> SIMPLE =
      Set.of("text/plain", "multipart/form-data", "application/x-www-form-urlencoded");

  private final Set<String> hosts = new HashSet<>();
  private final boolean any;

  /**
   * @param hosts names or addresses of this service, without ports, in addition to those of
   *     loopback; {@code *} for any
   * @throws IllegalArgumentException for an entry that is not a host
   */
  public WebRequestPolicy(Collection<String> hosts) {
    for (String host : hosts) {
      String name = host.strip();
      if (!name.equals("*") && !HOST.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "'" + host + "'; allowed: a host's name or address, without a port, or *");
      }
      this.hosts.add(bare(name));
    }
    any = this.hosts.contains("*");
  }

  /**
   * Returns the host of a URL in the form that {@link #WebRequestPolicy} accepts.
   *
   * @return empty where the URL has none
   */
  public static Optional<String> host(URI url) {
    return Optional.ofNullable(url.getHost());
  }

  /** The reason for a refusal. */
  public enum Refusal {
    /** {@code Host} does not name this service. 421. */
    FOREIGN_HOST,
    /** Sent by a page of another origin. 403. */
    CROSS_SITE,
    /** A changing request without a content type, or with one that any page can send. 415. */
    CONTENT_TYPE
  }

  /** A refusal, with the offending header for the message. */
  public record Refused(Refusal refusal, String detail) {}

  /**
   * The parts of a request that the decision uses.
   *
   * @param http2 whether it was sent by HTTP/2
   * @param hosts the values of {@code Host}, or {@code :authority}
   * @param local the address of this service that received it; null where unknown
   * @param origins the values of {@code Origin}
   * @param sites the values of {@code Sec-Fetch-Site}
   */
  public record Headers(
      String method,
      boolean http2,
      List<String> hosts,
      @Nullable String local,
      List<String> origins,
      List<String> sites,
      @Nullable String contentType) {
    public Headers {
      hosts = List.copyOf(hosts);
      origins = List.copyOf(origins);
      sites = List.copyOf(sites);
    }
  }

  /** Returns why the request is refused; empty where it may be served. */
  public Optional<Refused> check(Headers request) {
    if (!isGrpc(request) && !isOwnHost(request)) {
      return refused(
          Refusal.FOREIGN_HOST,
          "Host: "
              + String.join(", ", request.hosts())
              + "; allowed: localhost, the service's own address, and the names in"
              + " baton.http.allowed-hosts");
    }
    for (String site : request.sites()) {
      if (!OWN_SITES.contains(site.strip().toLowerCase(Locale.ROOT))) {
        return refused(
            Refusal.CROSS_SITE,
            "Sec-Fetch-Site: " + site + "; web pages of other origins may not use this service");
      }
    }
    for (String origin : request.origins()) {
      if (!isOwnOrigin(origin, request.hosts())) {
        return refused(
            Refusal.CROSS_SITE,
            "Origin: " + origin + "; web pages of other origins may not use this service");
      }
    }
    if (CHANGING.contains(request.method().toUpperCase(Locale.ROOT)) && !hasType(request)) {
      return refused(
          Refusal.CONTENT_TYPE,
          "Content-Type: "
              + (request.contentType() == null ? "none" : request.contentType())
              + "; a request that changes state needs one, even without a body: for example"
              + " application/json");
    }
    return Optional.empty();
  }

  private static Optional<Refused> refused(Refusal refusal, String detail) {
    return Optional.of(new Refused(refusal, detail));
  }

  /** Pages cannot send gRPC: browsers use HTTP/2 only with TLS, where a foreign name fails. */
  private static boolean isGrpc(Headers request) {
    String type = request.contentType();
    return request.http2()
        && request.origins().isEmpty()
        && request.sites().isEmpty()
        && type != null
        && (type.equals("application/grpc") || type.startsWith("application/grpc+"));
  }

  private boolean isOwnHost(Headers request) {
    if (request.hosts().size() != 1) {
      return false;
    }
    Matcher authority = AUTHORITY.matcher(request.hosts().getFirst().strip());
    if (!authority.matches()) {
      return false;
    }
    String host = bare(authority.group(1));
    return any
        || hosts.contains(host)
        || host.equals("localhost")
        || host.endsWith(".localhost")
        || host.equals("::1")
        || LOOPBACK.matcher(host).matches()
        || (request.local() != null && host.equals(bare(request.local())));
  }

  /** Normalizes a host: lower case, without brackets, final dot or zone. */
  private static String bare(String host) {
    String bare = host.toLowerCase(Locale.ROOT);
    if (bare.startsWith("[") && bare.endsWith("]")) {
      bare = bare.substring(1, bare.length() - 1);
    }
    int zone = bare.indexOf('%');
    bare = zone < 0 ? bare : bare.substring(0, zone);
    bare = bare.endsWith(".") ? bare.substring(0, bare.length() - 1) : bare;
    return bare.equals("0:0:0:0:0:0:0:1") ? "::1" : bare;
  }

  private static boolean isOwnOrigin(String origin, List<String> hosts) {
    try {
      URI page = URI.create(origin.strip());
      String scheme = page.getScheme();
      if (scheme == null || page.getRawAuthority() == null || hosts.size() != 1) {
        return false;
      }
      String port = scheme.equalsIgnoreCase("https") ? ":443" : ":80";
      return withPort(page.getRawAuthority(), port)
          .equalsIgnoreCase(withPort(hosts.getFirst().strip(), port));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static String withPort(String authority, String port) {
    return authority.matches(".*:\\d+") ? authority : authority + port;
  }

  private static boolean hasType(Headers request) {
    String type = request.contentType();
    if (type == null || type.isBlank()) {
      return false;
    }
    String bare = type.split("[;,]", 2)[0].strip().toLowerCase(Locale.ROOT);
    return bare.indexOf('/') > 0 && !SIMPLE.contains(bare);
  }
}
