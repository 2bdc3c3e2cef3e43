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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.lease.LeaseVerdict.Granted;
import dev.baton.lease.LeaseVerdict.Reason;
import dev.baton.lease.LeaseVerdict.Refused;
import dev.baton.protocol.json.Json;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LeaseVerifierTest {
  private static final String RUN = "01hzy3v9k3x8m2q4r6t8w0y1z2";

  private final KeyPair pair = pair();
  private final LeaseKey key = LeaseKey.of(pair.getPublic().getEncoded());
  private final LeaseVerifier verifier = new LeaseVerifier(true);

  @Test
  void shouldGrantWhatTheSignatureVouchesForAndNothingElse() {
    verifier.keys(Map.of(key.kid(), key));
    String token = token(pair, key.kid(), RUN, 3, "default");

    assertThat(verifier.check(token, RUN, 3, "default")).isEqualTo(new Granted(RUN, 3, "default"));
    assertThat(reason(verifier.check(token, RUN, 4))).isEqualTo(Reason.FOREIGN);
    assertThat(reason(verifier.check(token, "01hzy3v9k3x8m2q4r6t8w0y1z3", 3)))
        .isEqualTo(Reason.FOREIGN);
    assertThat(reason(verifier.check(token, RUN, 3, "other"))).isEqualTo(Reason.FOREIGN);
  }

  @Test
  void shouldRefuseForgeries() {
    verifier.keys(Map.of(key.kid(), key));
    String token = token(pair, key.kid(), RUN, 3, "default");
    String[] parts = token.split("\\.");
    String raised =
        parts[0]
            + "."
            + base64(new String(Base64.getUrlDecoder().decode(parts[1]), UTF_8).replace("3", "4"))
            + "."
            + parts[2];
    KeyPair another = pair();

    assertThat(reason(verifier.check(raised, RUN, 4))).isEqualTo(Reason.BAD_SIGNATURE);
    assertThat(reason(verifier.check(token(another, key.kid(), RUN, 3, "default"), RUN, 3)))
        .isEqualTo(Reason.BAD_SIGNATURE);
    assertThat(reason(verifier.check(parts[0] + "." + parts[1] + ".", RUN, 3)))
        .isEqualTo(Reason.BAD_SIGNATURE);
    assertThat(
            reason(
                verifier.check(
                    base64("{\"alg\":\"none\",\"kid\":\"" + key.kid() + "\"}")
                        + "."
                        + parts[1]
                        + ".",
                    RUN,
                    3)))
        .isEqualTo(Reason.MALFORMED);
    for (String bad : List.of("x", "..", "a.b.c", "é.é.é", "a".repeat(100_000))) {
      assertThat(reason(verifier.check(bad, RUN, 3))).as(bad).isEqualTo(Reason.MALFORMED);
    }
  }

  @Test
  void shouldSayWhichKeysItLacksAndTakeThemLater() {
    String token = token(pair, key.kid(), RUN, 1, "default");

    assertThat(verifier.unknownKeys(List.of(token, "nonsense"))).containsExactly(key.kid());
    assertThat(reason(verifier.check(token, RUN, 1))).isEqualTo(Reason.UNKNOWN_KEY);
    verifier.keys(Map.of(key.kid(), key));
    assertThat(verifier.unknownKeys(List.of(token))).isEmpty();
    assertThat(verifier.check(token, RUN, 1)).isInstanceOf(Granted.class);
    // A rotation: both keys are valid until the first is removed.
    KeyPair second = pair();
    LeaseKey next = LeaseKey.of(second.getPublic().getEncoded());
    verifier.keys(Map.of(key.kid(), key, next.kid(), next));
    assertThat(verifier.check(token, RUN, 1)).isInstanceOf(Granted.class);
    assertThat(verifier.check(token(second, next.kid(), RUN, 2, "default"), RUN, 2))
        .isInstanceOf(Granted.class);
    verifier.keys(Map.of(next.kid(), next));
    assertThat(reason(verifier.check(token, RUN, 1))).isEqualTo(Reason.UNKNOWN_KEY);
  }

  @Test
  void shouldAcceptWhatThisProcessHasIssuedWhileItsKeyIsPublished() {
    // Of another key, so that only the record can be the reason to accept it.
    String token = token(pair(), key.kid(), RUN, 3, "default");
    Granted granted = new Granted(RUN, 3, "default");

    verifier.issued(token, granted);
    assertThat(reason(verifier.check(token, RUN, 3))).isEqualTo(Reason.UNKNOWN_KEY);

    verifier.keys(Map.of(key.kid(), key));
    verifier.issued(token, granted);
    assertThat(verifier.check(token, RUN, 3)).isEqualTo(granted);
    assertThat(reason(verifier.check(token, RUN, 4))).isEqualTo(Reason.FOREIGN);

    verifier.keys(Map.of());
    assertThat(reason(verifier.check(token, RUN, 3))).isEqualTo(Reason.UNKNOWN_KEY);
  }

  @Test
  void shouldAskForATokenOnlyWhereOneIsRequired() {
    assertThat(reason(verifier.check(null, RUN, 1))).isEqualTo(Reason.MISSING);
    assertThat(reason(verifier.check("", RUN, 1))).isEqualTo(Reason.MISSING);
    assertThat(new LeaseVerifier(false).check("", RUN, 1))
        .isInstanceOf(LeaseVerdict.NotAsked.class);
    assertThat(reason(new LeaseVerifier(false).check("x", RUN, 1))).isEqualTo(Reason.MALFORMED);
  }

  @Test
  void shouldPassKeysOnAsAKeySet() {
    byte[] set = Json.bytes(Map.of("keys", List.of(key.jwk(), Map.of("kty", "RSA", "kid", "r"))));

    Map<String, LeaseKey> read = LeaseKey.readSet(set);

    assertThat(read).containsOnlyKeys(key.kid());
    assertThat(Objects.requireNonNull(read.get(key.kid())).encoded()).isEqualTo(key.encoded());
    assertThatThrownBy(() -> LeaseKey.readSet("{}".getBytes(UTF_8)))
        .hasMessageContaining("no list 'keys'");
    assertThatThrownBy(() -> LeaseKey.readSet("{\"keys\": [\"x\"]}".getBytes(UTF_8)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no list 'keys' of objects");
  }

  private static Reason reason(LeaseVerdict verdict) {
    return ((Refused) verdict).reason();
  }

  static KeyPair pair() {
    try {
      return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (java.security.GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  static String token(KeyPair pair, String kid, String run, int epoch, String project) {
    String signed =
        base64("{\"alg\":\"EdDSA\",\"kid\":\"" + kid + "\"}")
            + "."
            + base64(
                new String(
                    Json.bytes(
                        Map.of("iss", "baton", "sub", run, "epoch", epoch, "project", project)),
                    UTF_8));
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(pair.getPrivate());
      signature.update(signed.getBytes(US_ASCII));
      return signed
          + "."
          + Base64.getUrlEncoder().withoutPadding().encodeToString(signature.sign());
    } catch (java.security.GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
  }
}
