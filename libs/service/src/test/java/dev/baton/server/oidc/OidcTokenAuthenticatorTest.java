/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.oidc.testkit.OidcTestIssuer;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.tls.TlsSettings;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jose4j.jwk.EcJwkGenerator;
import org.jose4j.jwk.OctetKeyPairJsonWebKey;
import org.jose4j.jwk.OkpJwkGenerator;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwk.Use;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.keys.EllipticCurves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks tokens of an issuer that serves its documents over HTTP. */
class OidcTokenAuthenticatorTest {
  private static final Duration BOUND = Duration.ofSeconds(20);
  private static final long HOUR = 3_600;

  @SuppressWarnings("NullAway.Init")
  private OidcTestIssuer issuer;

  @SuppressWarnings("NullAway.Init")
  private OidcTokenAuthenticator tokens;

  @BeforeEach
  void start() throws IOException {
    issuer = new OidcTestIssuer();
    tokens = authenticator(OidcTestConfig.of(issuer.url()));
  }

  @AfterEach
  void stop() {
    tokens.close();
    issuer.close();
  }

  private static OidcTokenAuthenticator authenticator(OidcConfig config) {
    return new OidcTokenAuthenticator(OidcSettings.read(config).orElseThrow(), TlsSettings.NONE);
  }

  private Map<String, Object> claims() {
    return issuer.claims("ann", OidcTestConfig.AUDIENCE, List.of("payments", "unknown"));
  }

  private Map<String, Object> claims(Consumer<Map<String, Object>> change) {
    Map<String, Object> claims = claims();
    change.accept(claims);
    return claims;
  }

  private static long now() {
    return Instant.now().getEpochSecond();
  }

  private OidcVerdict check(String token) {
    return tokens.authenticate(token).await().atMost(BOUND);
  }

  private OidcIdentity accepted(String token) {
    OidcVerdict verdict = check(token);
    assertThat(verdict).isInstanceOf(OidcVerdict.Accepted.class);
    return ((OidcVerdict.Accepted) verdict).identity();
  }

  private String refused(String token) {
    OidcVerdict verdict = check(token);
    assertThat(verdict).isInstanceOf(OidcVerdict.Refused.class);
    String reason = ((OidcVerdict.Refused) verdict).reason();
    assertThat(reason).doesNotContain("ann", token).matches("\\p{ASCII}+");
    return reason;
  }

  @Test
  void shouldAcceptAValidToken() {
    long expiry = now() + HOUR;

    OidcIdentity ann = accepted(issuer.sign(claims(it -> it.put("exp", expiry))));

    assertThat(ann.name()).isEqualTo("ann");
    assertThat(ann.roles())
        .contains(ProjectRoles.parse(Map.of("payments", "operator", "*", "viewer")));
    assertThat(ann.validUntil()).isEqualTo(Instant.ofEpochSecond(expiry + 30));
  }

  @Test
  void shouldAcceptKeysOfEveryAsymmetricKind() throws Exception {
    PublicJsonWebKey curve = EcJwkGenerator.generateJwk(EllipticCurves.P256);
    PublicJsonWebKey edwards = OkpJwkGenerator.generateJwk(OctetKeyPairJsonWebKey.SUBTYPE_ED25519);
    Map<PublicJsonWebKey, List<String>> keys =
        Map.of(
            issuer.key(),
            List.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
            curve,
            List.of("ES256"),
            edwards,
            List.of("EdDSA"));
    curve.setKeyId("curve");
    edwards.setKeyId("edwards");
    issuer.publish(curve);
    issuer.publish(edwards);

    keys.forEach(
        (key, algorithms) ->
            algorithms.forEach(
                algorithm ->
                    assertThat(
                            accepted(OidcTestIssuer.sign(claims(), algorithm, key, key.getKeyId()))
                                .name())
                        .as(algorithm)
                        .isEqualTo("ann")));
  }

  @ParameterizedTest
  @CsvSource({
    "iss, https://other.example, the token is of another issuer",
    "iss, , the token is of another issuer",
    "aud, other, the token is for another audience; allowed: baton",
    "aud, , the token is for another audience",
    "sub, , names no subject",
    "sub, ' ', names no subject",
    "exp, , has no time of expiry",
    "exp, soon, malformed",
    "groups, , ''"
  })
  void shouldRefuseWrongClaims(String name, String value, String reason) {
    Map<String, Object> claims = claims();
    if (value == null) {
      claims.remove(name);
    } else {
      claims.put(name, value);
    }

    String token = issuer.sign(claims);

    if (reason.isEmpty()) {
      assertThat(accepted(token).roles()).isEmpty();
    } else {
      assertThat(refused(token)).contains(reason);
    }
  }

  @Test
  void shouldRefuseTokensOutsideOfTheirTimes() {
    assertThat(refused(issuer.sign(claims(it -> it.put("exp", now() - 40)))))
        .isEqualTo("the token has expired");
    assertThat(refused(issuer.sign(claims(it -> it.put("nbf", now() + 60)))))
        .contains("not valid yet");
    assertThat(refused(issuer.sign(claims(it -> it.put("iat", now() + HOUR)))))
        .contains("issued in the future");
    assertThat(accepted(issuer.sign(claims(it -> it.put("exp", now() - 5)))).name())
        .as("within the skew")
        .isEqualTo("ann");
    assertThat(accepted(issuer.sign(claims(it -> it.put("nbf", now() + 5)))).name())
        .as("within the skew")
        .isEqualTo("ann");
    assertThat(accepted(issuer.sign(claims(it -> it.put("exp", Long.MAX_VALUE)))).validUntil())
        .isAfter(Instant.parse("9999-01-01T00:00:00Z"));
  }

  @Test
  void shouldRefuseForgedSignatures() throws Exception {
    String valid = issuer.sign(claims());
    String[] parts = valid.split("\\.");
    String admin = issuer.sign(claims(it -> it.put("groups", List.of("admins")))).split("\\.")[1];

    assertThat(refused(parts[0] + "." + admin + "." + parts[2])).contains("signature");
    assertThat(refused(parts[0] + "." + parts[1] + ".AAAA")).contains("signature");
    PublicJsonWebKey foreign = OidcTestIssuer.rsa();
    assertThat(refused(OidcTestIssuer.sign(claims(), "RS256", foreign, issuer.key().getKeyId())))
        .contains("signature");
    // A curve's signature for the id of an RSA key, and one for a key of another algorithm.
    PublicJsonWebKey curve = EcJwkGenerator.generateJwk(EllipticCurves.P256);
    assertThat(refused(OidcTestIssuer.sign(claims(), "ES256", curve, issuer.key().getKeyId())))
        .contains("signature");
    PublicJsonWebKey restricted = OidcTestIssuer.rsa();
    restricted.setAlgorithm(AlgorithmIdentifiers.RSA_USING_SHA512);
    issuer.publish(restricted);
    assertThat(refused(OidcTestIssuer.sign(claims(), "RS256", restricted, restricted.getKeyId())))
        .contains("signature");
    assertThat(accepted(OidcTestIssuer.sign(claims(), "RS512", restricted, restricted.getKeyId())))
        .isNotNull();
  }

  @Test
  void shouldRefuseEveryAlgorithmWithoutAPrivateKey() {
    assertThat(refused(issuer.unsigned(claims()))).contains("algorithm", "RS256");
    assertThat(refused(issuer.signByPublicKey(claims()))).contains("algorithm");
    // Also when the issuer publishes a symmetric key.
    issuer.withdraw(issuer.key());
    issuer.publish(issuer.symmetric());
    assertThat(refused(issuer.signByPublicKey(claims()))).contains("algorithm");
    assertThat(refused(issuer.sign(claims()))).contains("does not publish");
  }

  @Test
  void shouldIgnoreKeysForOtherUses() {
    PublicJsonWebKey forEncryption = OidcTestIssuer.rsa();
    forEncryption.setUse(Use.ENCRYPTION);
    issuer.use(forEncryption);

    assertThat(refused(issuer.sign(claims()))).contains("does not publish");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "a.b",
        "a.b.c",
        "a.b.c.d.e",
        "a.b.c=",
        " a.b.c",
        "e30.e30.e30",
        "..",
        "."
      })
  void shouldRefuseWhatIsNoToken(String text) {
    assertThat(((OidcVerdict.Refused) check(text)).reason()).startsWith("the ");
  }

  @Test
  void shouldRefuseTokensForOtherPurposesAndWithoutAKey() {
    assertThat(refused(issuer.signAs("logout+jwt", claims()))).contains("type");
    assertThat(accepted(issuer.signAs("at+jwt", claims())).name()).isEqualTo("ann");
    assertThat(refused(OidcTestIssuer.sign(claims(), "RS256", issuer.key(), null)))
        .contains("names no key");
    assertThat(refused(issuer.sign(claims(it -> it.put("pad", "x".repeat(20_000))))))
        .contains("not a signed JSON Web Token");
  }

  @Test
  void shouldFindTheKeyOfARotation() {
    accepted(issuer.sign(claims()));
    String before = issuer.sign(claims());
    issuer.rotate(true);

    assertThat(accepted(issuer.sign(claims())).name()).isEqualTo("ann");
    assertThat(accepted(before).name()).isEqualTo("ann");
    assertThat(issuer.fetches()).isEqualTo(2);

    issuer.rotate(false);
    assertThat(refused(issuer.sign(claims()))).contains("does not publish");
  }

  @Test
  void shouldUseKnownKeysWhileTheIssuerIsDown() {
    String known = issuer.sign(claims());
    accepted(known);
    issuer.down(true);
    issuer.rotate(true);

    assertThat(accepted(known).name()).isEqualTo("ann");
    assertThatThrownBy(() -> check(issuer.sign(claims())))
        .isInstanceOf(IssuerUnavailableException.class)
        .hasMessageContaining(issuer.url())
        .hasMessageContaining("503");

    issuer.down(false);
    assertThat(accepted(issuer.sign(claims())).name()).isEqualTo("ann");
  }

  @Test
  void shouldFetchNoKeysForTokensThatAreRefusedAnyway() {
    refused(issuer.sign(claims(it -> it.put("iss", "https://other.example"))));
    refused(issuer.sign(claims(it -> it.put("aud", "other"))));
    refused(issuer.sign(claims(it -> it.put("exp", now() - HOUR))));
    refused(issuer.unsigned(claims()));

    assertThat(issuer.fetches()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"issuer\":\"https://other.example\",\"jwks_uri\":\"URL/keys\"}",
        "{\"issuer\":\"URL\",\"jwks_uri\":\"URL/nothing\"}",
        "{\"issuer\":\"URL\",\"jwks_uri\":\"URL/.well-known/openid-configuration\"}",
        "[]",
        "<html>"
      })
  void shouldTakeKeysOfNoOtherDocument(String document) {
    issuer.discovery(document.replace("URL", issuer.url()));

    assertThatThrownBy(() -> check(issuer.sign(claims())))
        .isInstanceOf(IssuerUnavailableException.class)
        .hasMessageContaining("cannot fetch the keys of " + issuer.url());
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://192.0.2.7/keys", "file:///etc/passwd", "https://a@b.example", ""})
  void shouldTakeKeysOverTlsOrLoopbackOnly(String url) {
    issuer.discovery("{\"issuer\":\"%s\",\"jwks_uri\":\"%s\"}".formatted(issuer.url(), url));

    assertThatThrownBy(() -> check(issuer.sign(claims())))
        .isInstanceOf(IssuerUnavailableException.class)
        .hasMessageContaining("the jwks_uri of its discovery document is not allowed");
  }

  @Test
  void shouldNameCallersByTheirClaim() {
    try (OidcTokenAuthenticator byEmail =
        authenticator(
            OidcTestConfig.of(issuer.url())
                .with("principal-claim", "email")
                .with("roles-claim", "realm_access.roles"))) {
      Map<String, Object> claims =
          claims(
              it -> {
                it.put("email", "ann@example.com");
                it.put("realm_access", Map.of("roles", List.of("admins")));
              });
      OidcIdentity ann = identity(byEmail, claims);
      claims.put("email_verified", false);
      OidcIdentity unverified = identity(byEmail, claims);
      claims.put("email_verified", "false");
      assertThat(identity(byEmail, claims)).isEqualTo(unverified);
      claims.remove("email");
      OidcIdentity program = identity(byEmail, claims);

      assertThat(ann.name()).isEqualTo("ann@example.com");
      assertThat(ann.roles()).contains(ProjectRoles.everywhere(AccessRole.ADMIN));
      assertThat(unverified.name()).isEqualTo("ann");
      assertThat(program.name()).isEqualTo("ann");
      Set<String> ids = new HashSet<>(List.of(ann.id(), unverified.id(), program.id()));
      assertThat(ids).as("the id of a subject").hasSize(1);
      claims.put("sub", "bob");
      assertThat(identity(byEmail, claims).id()).isNotIn(ids);
      claims.put("email", "a\nb");
      claims.remove("email_verified");
      assertThat(byEmail.authenticate(issuer.sign(claims)).await().atMost(BOUND))
          .isInstanceOf(OidcVerdict.Refused.class);
    }
  }

  private OidcIdentity identity(OidcTokenAuthenticator by, Map<String, Object> claims) {
    OidcVerdict verdict = by.authenticate(issuer.sign(claims)).await().atMost(BOUND);
    return ((OidcVerdict.Accepted) verdict).identity();
  }
}
