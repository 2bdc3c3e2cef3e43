/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.oidc.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jose4j.json.JsonUtil;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.OctetSequenceJsonWebKey;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwk.RsaJwkGenerator;
import org.jose4j.jwk.Use;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.keys.HmacKey;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * An OpenID Connect issuer on loopback: a discovery document, a key set, and tokens that it signs
 * in this process. Its keys are created at its start. Thread-safe.
 */
public final class OidcTestIssuer implements AutoCloseable {
  private static final int RSA_BITS = 2_048;

  private final HttpServer server;
  private final List<JsonWebKey> published = new CopyOnWriteArrayList<>();
  private final AtomicInteger fetches = new AtomicInteger();
  private volatile PublicJsonWebKey key;
  private volatile boolean down;
  private volatile @Nullable String discovery;

  /** The creation of a key takes a second; those of later issuers have only another id. */
  private static final class FirstKey {
    static final PublicJsonWebKey CREATED = rsa();

    private FirstKey() {}

    static PublicJsonWebKey withAnotherId() {
      try {
        PublicJsonWebKey copy = PublicJsonWebKey.Factory.newPublicJwk(CREATED.getPublicKey());
        copy.setPrivateKey(CREATED.getPrivateKey());
        return named(copy);
      } catch (JoseException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Starts an issuer with one RSA key, whose id no other issuer has. */
  public OidcTestIssuer() throws IOException {
    key = FirstKey.withAnotherId();
    published.add(key);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::serve);
    server.start();
  }

  /** The URL of the issuer. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** How often the key set was fetched. */
  public int fetches() {
    return fetches.get();
  }

  /** Answers no request, or answers again. */
  public void down(boolean isDown) {
    down = isDown;
  }

  /** Serves another discovery document; null: its own. */
  public void discovery(@Nullable String document) {
    discovery = document;
  }

  /** Signs with a new key, published or not yet; returns it. */
  public PublicJsonWebKey rotate(boolean publish) {
    PublicJsonWebKey next = rsa();
    key = next;
    if (publish) {
      published.add(next);
    }
    return next;
  }

  /** Signs with another key, which is also published. */
  public void use(PublicJsonWebKey other) {
    key = other;
    published.add(other);
  }

  /** Publishes a key. */
  public void publish(JsonWebKey other) {
    published.add(other);
  }

  /** Stops to publish a key. */
  public void withdraw(JsonWebKey other) {
    published.remove(other);
  }

  /** The key that signs. */
  public PublicJsonWebKey key() {
    return key;
  }

  /** Creates an RSA key with an id. */
  public static PublicJsonWebKey rsa() {
    try {
      return named(RsaJwkGenerator.generateJwk(RSA_BITS));
    } catch (JoseException e) {
      throw new IllegalStateException(e);
    }
  }

  private static PublicJsonWebKey named(PublicJsonWebKey key) {
    key.setKeyId(UUID.randomUUID().toString());
    key.setUse(Use.SIGNATURE);
    return key;
  }

  /** Returns the claims of a valid token; the caller changes them. */
  public Map<String, Object> claims(String subject, String audience, List<String> groups) {
    Map<String, Object> claims = new TreeMap<>();
    long now = Instant.now().getEpochSecond();
    claims.put("iss", url());
    claims.put("sub", subject);
    claims.put("aud", audience);
    claims.put("iat", now);
    claims.put("nbf", now);
    claims.put("exp", now + Duration.ofMinutes(5).toSeconds());
    claims.put("groups", groups);
    return claims;
  }

  /** Signs a token. */
  public String sign(Map<String, Object> claims) {
    return sign(claims, AlgorithmIdentifiers.RSA_USING_SHA256, key, key.getKeyId());
  }

  /**
   * Signs a token with a key of its own.
   *
   * @param kid in the header; null for none
   */
  public static String sign(
      Map<String, Object> claims, String algorithm, PublicJsonWebKey key, @Nullable String kid) {
    JsonWebSignature token = new JsonWebSignature();
    token.setAlgorithmHeaderValue(algorithm);
    token.setHeader("typ", "JWT");
    if (kid != null) {
      token.setKeyIdHeaderValue(kid);
    }
    token.setPayload(JsonUtil.toJson(claims));
    token.setKey(key.getPrivateKey());
    return compact(token);
  }

  /** Signs a token with a header of this type. */
  public String signAs(String type, Map<String, Object> claims) {
    JsonWebSignature token = new JsonWebSignature();
    token.setAlgorithmHeaderValue(AlgorithmIdentifiers.RSA_USING_SHA256);
    token.setHeader("typ", type);
    token.setKeyIdHeaderValue(key.getKeyId());
    token.setPayload(JsonUtil.toJson(claims));
    token.setKey(key.getPrivateKey());
    return compact(token);
  }

  /** Signs a token with HMAC, and the published key as the secret: a forgery. */
  public String signByPublicKey(Map<String, Object> claims) {
    JsonWebSignature token = new JsonWebSignature();
    token.setAlgorithmHeaderValue(AlgorithmIdentifiers.HMAC_SHA256);
    token.setKeyIdHeaderValue(key.getKeyId());
    token.setPayload(JsonUtil.toJson(claims));
    token.setKey(new HmacKey(key.getPublicKey().getEncoded()));
    return compact(token);
  }

  /** Returns a token with the algorithm {@code none}: a forgery. */
  public String unsigned(Map<String, Object> claims) {
    Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
    String header = "{\"alg\":\"none\",\"kid\":\"" + key.getKeyId() + "\"}";
    return base64.encodeToString(header.getBytes(UTF_8))
        + "."
        + base64.encodeToString(JsonUtil.toJson(claims).getBytes(UTF_8))
        + ".";
  }

  /** Returns a symmetric key that has the bytes of the public one. */
  public JsonWebKey symmetric() {
    JsonWebKey secret = new OctetSequenceJsonWebKey(new HmacKey(key.getPublicKey().getEncoded()));
    secret.setKeyId(key.getKeyId());
    return secret;
  }

  private static String compact(JsonWebSignature token) {
    try {
      return token.getCompactSerialization();
    } catch (JoseException e) {
      throw new IllegalStateException(e);
    }
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (down) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      byte[] body =
          switch (exchange.getRequestURI().getPath()) {
            case "/.well-known/openid-configuration" -> document().getBytes(UTF_8);
            case "/keys" -> {
              fetches.incrementAndGet();
              yield new JsonWebKeySet(published)
                  .toJson(JsonWebKey.OutputControlLevel.INCLUDE_SYMMETRIC)
                  .getBytes(UTF_8);
            }
            default -> new byte[0];
          };
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(
          body.length == 0 ? 404 : 200, body.length == 0 ? -1 : body.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(body);
      }
    }
  }

  private String document() {
    String other = discovery;
    return other == null
        ? "{\"issuer\":\"%s\",\"jwks_uri\":\"%s/keys\"}".formatted(url(), url())
        : other;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
