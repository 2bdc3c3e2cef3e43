/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.protocol.net.BearerCredential;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.server.oidc.OidcTokenReader.Unusable;
import dev.baton.server.oidc.OidcTokenReader.UnverifiedToken;
import io.smallrye.mutiny.Uni;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates callers by JSON Web Tokens of an OpenID Connect issuer. Stores and logs no token.
 * Thread-safe; never blocks.
 */
public final class OidcTokenAuthenticator implements AutoCloseable {
  private static final int MAX_NAME = 200;
  private static final int ID_BYTES = 16;
  private static final String EMAIL = "email";
  private static final String EMAIL_VERIFIED = "email_verified";

  private final OidcSettings settings;
  private final OidcTokenReader reader;
  private final IssuerKeyCache keys;
  private final @Nullable IssuerKeyClient client;

  /**
   * @param tls its authorities are trusted in addition to those of the JDK
   */
  public OidcTokenAuthenticator(OidcSettings settings, TlsSettings tls) {
    this(settings, new IssuerKeyClient(settings, tls));
  }

  private OidcTokenAuthenticator(OidcSettings settings, IssuerKeyClient client) {
    this(settings, client, client::fetch, InstantSource.system(), System::nanoTime);
  }

  OidcTokenAuthenticator(
      OidcSettings settings,
      @Nullable IssuerKeyClient client,
      Supplier<Uni<Map<String, IssuerKey>>> source,
      InstantSource clock,
      LongSupplier nanos) {
    this.settings = settings;
    this.client = client;
    this.reader = new OidcTokenReader(settings, clock);
    this.keys = new IssuerKeyCache(source, nanos);
  }

  /** Whether a credential has the form of a token; API keys do not have it. */
  public static boolean isToken(String credential) {
    return OidcTokenReader.isToken(credential);
  }

  /** Fetches the keys in the background, for the first token. */
  public void start() {
    keys.refresh();
  }

  /** Returns the issuer, for messages. */
  public String issuer() {
    return settings.issuer();
  }

  /** Returns the claim whose values have roles, for messages. */
  public String rolesClaim() {
    return settings.rolesClaim().text();
  }

  /**
   * Checks a token.
   *
   * @return fails with {@link IssuerUnavailableException} when the token names an unknown key and
   *     the issuer does not answer
   */
  public Uni<OidcVerdict> authenticate(String token) {
    return switch (reader.read(token)) {
      case Unusable(String reason) -> Uni.createFrom().item(new OidcVerdict.Refused(reason));
      case UnverifiedToken read -> keys.key(read.kid()).map(key -> verdict(read, key));
    };
  }

  private OidcVerdict verdict(UnverifiedToken token, Optional<IssuerKey> key) {
    if (key.isEmpty()) {
      return new OidcVerdict.Refused("the token names a key that its issuer does not publish");
    }
    if (!token.isSignedBy(key.get())) {
      return new OidcVerdict.Refused("the signature of the token is wrong");
    }
    String name = name(token);
    if (name.length() > MAX_NAME || name.chars().anyMatch(Character::isISOControl)) {
      return new OidcVerdict.Refused(
          "the claim '%s' of the token is not a name of 1 to %d characters"
              .formatted(settings.principalClaim().text(), MAX_NAME));
    }
    return new OidcVerdict.Accepted(
        new OidcIdentity(
            id(token.subject()),
            name,
            settings.roles().roles(settings.rolesClaim().texts(token.all())),
            token.validUntil()));
  }

  /** The subject stands in for a claim that a token lacks, as those of programs may. */
  private String name(UnverifiedToken token) {
    String claim = settings.principalClaim().text();
    // Some issuers write it as text.
    if (claim.equals(EMAIL) && "false".equals(String.valueOf(token.all().get(EMAIL_VERIFIED)))) {
      return token.subject();
    }
    return settings.principalClaim().text(token.all()).orElse(token.subject());
  }

  private String id(String subject) {
    byte[] digest =
        BearerCredential.digest(
            settings.issuer().getBytes(UTF_8).length + ":" + settings.issuer() + subject);
    return "oidc " + HexFormat.of().formatHex(digest, 0, ID_BYTES);
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
    }
  }
}
