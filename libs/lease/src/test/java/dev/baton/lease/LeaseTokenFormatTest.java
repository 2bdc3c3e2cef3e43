/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.lease.LeaseVerdict.Granted;
import dev.baton.lease.LeaseVerdict.Reason;
import dev.baton.lease.LeaseVerdict.Refused;
import dev.baton.protocol.json.Json;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pins the format of tokens and the verdict about each kind of invalid one: readers of one log,
 * also of different releases, must decide alike.
 */
class LeaseTokenFormatTest {
  private static final String RUN = "01hzy3v9k3x8m2q4r6t8w0y1z2";
  private static final String PUBLIC =
      "MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";

  /** The private half of {@link #PUBLIC}; its seed is the bytes 0 to 31. */
  private static final String PRIVATE =
      "MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f";

  private static final String KID = "a050837d85070582";
  private static final String HEADER =
      "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6ImEwNTA4MzdkODUwNzA1ODIifQ";
  private static final String CLAIMS =
      "eyJpc3MiOiJiYXRvbiIsInN1YiI6IjAxaHp5M3Y5azN4OG0ycTRyNnQ4dzB5MXoyIiwiZXBvY2giOjMsInByb2pl"
          + "Y3QiOiJkZWZhdWx0IiwiaWF0IjoxNzY3MjI1NjAwfQ";
  private static final String SIGNATURE =
      "8PMnoM3CDDtfi1ZXE-AI1fk_Kr5Ux1ycmoE6HA-DBuw5L8TT-ZyghCDdeQl9tOB2Om8vW6wZmtL1MDPV94tQAQ";
  private static final String TOKEN = HEADER + "." + CLAIMS + "." + SIGNATURE;

  private static final String HEADER_JSON = "{\"alg\":\"EdDSA\",\"kid\":\"" + KID + "\"}";
  private static final String CLAIMS_JSON =
      "{\"iss\":\"baton\",\"sub\":\"" + RUN + "\",\"epoch\":3,\"project\":\"default\"}";

  private static final LeaseKey KEY = LeaseKey.of(Base64.getDecoder().decode(PUBLIC));

  private final LeaseVerifier verifier = new LeaseVerifier(true);

  LeaseTokenFormatTest() {
    verifier.keys(Map.of(KEY.kid(), KEY));
  }

  @Test
  void shouldGrantATokenOfAnEarlierRelease() {
    assertThat(verifier.check(TOKEN, RUN, 3, "default")).isEqualTo(new Granted(RUN, 3, "default"));
    assertThat(verifier.check(sign(HEADER_JSON, CLAIMS_JSON), RUN, 3, "default"))
        .isEqualTo(new Granted(RUN, 3, "default"));
    assertThat(verifier.check(TOKEN + "==", RUN, 3)).isInstanceOf(Granted.class);
  }

  @Test
  void shouldSignTheSameClaimsAsAnEarlierRelease() {
    String token =
        LeaseTokenCodec.sign(
            privateKey(), KEY, RUN, 3, "default", Instant.ofEpochSecond(1_767_225_600));

    String[] parts = token.split("\\.");
    assertThat(tree(parts[0])).isEqualTo(tree(HEADER));
    assertThat(tree(parts[1])).isEqualTo(tree(CLAIMS));
    assertThat(verifier.check(token, RUN, 3, "default")).isInstanceOf(Granted.class);
  }

  private static Object tree(String encoded) {
    return Json.tree(Base64.getUrlDecoder().decode(encoded));
  }

  @Test
  void shouldPublishAKeyLikeAnEarlierRelease() {
    Map<String, String> jwk = new HashMap<>();
    KEY.jwk().forEach((name, value) -> jwk.put(name, String.valueOf(value)));

    assertThat(KEY.kid()).isEqualTo(KID);
    assertThat(jwk)
        .isEqualTo(
            Map.of(
                "kty",
                "OKP",
                "crv",
                "Ed25519",
                "alg",
                "EdDSA",
                "use",
                "sig",
                "kid",
                KID,
                "x",
                "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg"));
    String published =
        "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"other\","
            + "\"x\":\"A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg\"},"
            + "{\"kty\":\"OKP\",\"crv\":\"X25519\",\"kid\":\"x\",\"x\":\"AAAA\"},"
            + "{\"kty\":\"EC\",\"crv\":\"P-256\"}]}";
    Map<String, LeaseKey> read = LeaseKey.readSet(published.getBytes(UTF_8));
    assertThat(read).containsOnlyKeys(KID);
    assertThat(Objects.requireNonNull(read.get(KID)).encoded()).isEqualTo(KEY.encoded());
  }

  static List<Arguments> invalid() {
    return List.of(
        of(Reason.MALFORMED, "x"),
        of(Reason.MALFORMED, HEADER + "." + CLAIMS),
        of(Reason.MALFORMED, TOKEN + "."),
        of(Reason.MALFORMED, "." + TOKEN),
        of(Reason.MALFORMED, " " + TOKEN),
        of(Reason.MALFORMED, TOKEN + "\n"),
        of(Reason.MALFORMED, "." + CLAIMS + "." + SIGNATURE),
        of(Reason.MALFORMED, HEADER + ".." + SIGNATURE),
        of(Reason.MALFORMED, HEADER + "." + CLAIMS + "." + SIGNATURE.replace('-', '+')),
        of(Reason.MALFORMED, HEADER + "." + CLAIMS + "." + SIGNATURE.replace('_', '/')),
        of(Reason.MALFORMED, HEADER + "." + CLAIMS + ".!" + SIGNATURE),
        of(Reason.MALFORMED, HEADER + "." + CLAIMS + "." + SIGNATURE + " "),
        of(Reason.MALFORMED, HEADER + "." + CLAIMS + "." + SIGNATURE.substring(1)),
        of(Reason.BAD_SIGNATURE, HEADER + "." + CLAIMS + "." + SIGNATURE + "A="),
        of(Reason.MALFORMED, HEADER + "." + CLAIMS + "." + SIGNATURE + "A=="),
        of(Reason.BAD_SIGNATURE, HEADER + "." + CLAIMS + "."),
        of(Reason.BAD_SIGNATURE, HEADER + "." + CLAIMS + "." + SIGNATURE.substring(2)),
        of(Reason.BAD_SIGNATURE, HEADER + "." + CLAIMS + "." + SIGNATURE + "A"),
        of(Reason.BAD_SIGNATURE, HEADER + "." + CLAIMS + "." + "A".repeat(86)),
        of(Reason.BAD_SIGNATURE, encode(HEADER_JSON) + "." + CLAIMS + "." + SIGNATURE),
        of(Reason.MALFORMED, sign("x", CLAIMS_JSON)),
        of(Reason.MALFORMED, sign("[]", CLAIMS_JSON)),
        of(Reason.MALFORMED, sign(HEADER_JSON, "x")),
        of(Reason.MALFORMED, sign(HEADER_JSON, "[]")),
        of(Reason.MALFORMED, sign(HEADER_JSON, CLAIMS_JSON + "x")),
        of(Reason.MALFORMED, sign("{\"kid\":\"" + KID + "\"}", CLAIMS_JSON)),
        of(Reason.MALFORMED, sign(HEADER_JSON.replace("EdDSA", "none"), CLAIMS_JSON)),
        of(Reason.MALFORMED, sign(HEADER_JSON.replace("EdDSA", "eddsa"), CLAIMS_JSON)),
        of(Reason.MALFORMED, sign(HEADER_JSON.replace("EdDSA", "HS256"), CLAIMS_JSON)),
        of(Reason.MALFORMED, sign("{\"alg\":\"EdDSA\"}", CLAIMS_JSON)),
        of(Reason.MALFORMED, sign(HEADER_JSON.replace(KID, KID.substring(1)), CLAIMS_JSON)),
        of(Reason.MALFORMED, sign(HEADER_JSON.replace(KID, "A050837D85070582"), CLAIMS_JSON)),
        of(Reason.UNKNOWN_KEY, sign(HEADER_JSON.replace(KID, "0".repeat(16)), CLAIMS_JSON)),
        of(Reason.MALFORMED, sign(HEADER_JSON, CLAIMS_JSON.replace("baton", "other"))),
        of(Reason.MALFORMED, sign(HEADER_JSON, CLAIMS_JSON.replace("\"iss\":\"baton\",", ""))),
        of(Reason.MALFORMED, sign(HEADER_JSON, CLAIMS_JSON.replace("\"" + RUN + "\"", "7"))),
        of(Reason.MALFORMED, sign(HEADER_JSON, CLAIMS_JSON.replace("\"default\"", "null"))),
        of(Reason.MALFORMED, sign(HEADER_JSON, CLAIMS_JSON.replace("\"default\"", "[\"d\"]"))),
        of(Reason.MALFORMED, sign(HEADER_JSON, CLAIMS_JSON.replace(":3", ":\"3\""))),
        of(Reason.MALFORMED, sign(HEADER_JSON, CLAIMS_JSON.replace(":3", ":3.5"))),
        of(Reason.MALFORMED, sign(HEADER_JSON, CLAIMS_JSON.replace(":3", ":4294967299"))),
        of(Reason.MALFORMED, sign(HEADER_JSON, CLAIMS_JSON.replace(":3", ":" + "9".repeat(40)))),
        of(Reason.MALFORMED, sign(HEADER_JSON, CLAIMS_JSON.replace("default", "d".repeat(1_600)))),
        of(Reason.FOREIGN, sign(HEADER_JSON, CLAIMS_JSON.replace(":3", ":-3"))));
  }

  @ParameterizedTest
  @MethodSource("invalid")
  void shouldRefuseAnInvalidTokenForTheSameReason(Reason reason, String token) {
    assertThat(verifier.check(token, RUN, 3, "default"))
        .asInstanceOf(InstanceOfAssertFactories.type(Refused.class))
        .extracting(Refused::reason)
        .isEqualTo(reason);
  }

  @Test
  void shouldDescribeARefusalLikeAnEarlierRelease() {
    String unknown = sign(HEADER_JSON.replace(KID, "0".repeat(16)), CLAIMS_JSON);

    assertThat(detail(null, 3)).isEqualTo("it has no lease, but leases are required here");
    assertThat(detail("x", 3)).isEqualTo("its lease is not a Baton token");
    assertThat(detail(unknown, 3))
        .isEqualTo("its lease is signed by an unknown key, '0000000000000000'");
    assertThat(detail(HEADER + "." + CLAIMS + ".", 3))
        .isEqualTo("the signature of its lease is invalid");
    assertThat(detail(TOKEN, 4)).isEqualTo("its lease is for epoch 3 of run " + RUN);
    assertThat(((Refused) verifier.check(TOKEN, RUN, 3, "other")).detail())
        .isEqualTo("its lease is for project 'default'");
  }

  private String detail(@Nullable String token, int epoch) {
    return ((Refused) verifier.check(token, RUN, epoch)).detail();
  }

  private static Arguments of(Reason reason, String token) {
    return Arguments.of(reason, token);
  }

  /** Signs with the JDK alone, independently of the library. */
  private static String sign(String header, String claims) {
    String signed = encode(header) + "." + encode(claims);
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(privateKey());
      signature.update(signed.getBytes(US_ASCII));
      return signed
          + "."
          + Base64.getUrlEncoder().withoutPadding().encodeToString(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static PrivateKey privateKey() {
    try {
      return KeyFactory.getInstance("Ed25519")
          .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(PRIVATE)));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static String encode(String json) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(UTF_8));
  }
}
