/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.lease.EventSignatureCodec.SignedEvent;
import dev.baton.lease.LeaseVerdict.Reason;
import dev.baton.lease.LeaseVerdict.Refused;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventSignatureTest {
  private final EventSignatureVerifier verifier = new EventSignatureVerifier();
  private KeyPair pair;
  private LeaseKey key;

  @BeforeEach
  void createKey() throws NoSuchAlgorithmException {
    pair = KeyPairGenerator.getInstance(LeaseKey.ALGORITHM).generateKeyPair();
    key = LeaseKey.of(pair.getPublic().getEncoded());
  }

  private static List<SignedEvent> events(int number) {
    return IntStream.rangeClosed(1, number)
        .mapToObj(
            i -> new SignedEvent("run-" + i + "/c/1", "t", ("{\"n\":" + i + "}").getBytes(UTF_8)))
        .toList();
  }

  private List<String> sign(List<SignedEvent> events) {
    return EventSignatureCodec.sign(pair.getPrivate(), key, events);
  }

  private @Nullable Reason reason(String signature, SignedEvent event) {
    Refused refusal = verifier.refusal(signature, event, Map.of(key.kid(), key));
    return refusal == null ? null : refusal.reason();
  }

  @Test
  void shouldVerifyEachOfTheEventsThatWereSentTogether() {
    for (int number = 1; number <= EventSignatureCodec.MAX_TOGETHER + 2; number++) {
      List<SignedEvent> events = events(number);
      List<String> signatures = sign(events);

      assertThat(signatures).hasSize(number).doesNotHaveDuplicates();
      for (int i = 0; i < number; i++) {
        assertThat(reason(signatures.get(i), events.get(i))).as("%d of %d", i, number).isNull();
      }
      int shared = Math.min(number, EventSignatureCodec.MAX_TOGETHER);
      assertThat(signatures.subList(0, shared).stream().map(EventSignatureTest::bytesOf).distinct())
          .as("signatures of %d events", number)
          .hasSize(1);
    }
  }

  private static String bytesOf(String signature) {
    return signature.substring(signature.lastIndexOf('.'));
  }

  @Test
  void shouldRefuseAnotherEventWithTheSameSignature() {
    SignedEvent event = new SignedEvent("r/c/2", "cancelled", "{}".getBytes(UTF_8));
    String signature = sign(List.of(event)).getFirst();

    assertThat(reason(signature, event)).isNull();
    for (SignedEvent other :
        List.of(
            new SignedEvent("r/c/3", "cancelled", event.data()),
            new SignedEvent("r/c/2", "paused", event.data()),
            new SignedEvent("r/c/2", "cancelled", "{ }".getBytes(UTF_8)),
            new SignedEvent("r/c/2c", "ancelled", event.data()),
            new SignedEvent("r/c/2", "cancelled{", "}".getBytes(UTF_8)))) {
      assertThat(reason(signature, other)).as(other.toString()).isEqualTo(Reason.BAD_SIGNATURE);
    }
  }

  @Test
  void shouldRefuseTheSignatureOfAnotherKey() throws NoSuchAlgorithmException {
    SignedEvent event = events(1).getFirst();
    KeyPair other = KeyPairGenerator.getInstance(LeaseKey.ALGORITHM).generateKeyPair();
    LeaseKey unknown = LeaseKey.of(other.getPublic().getEncoded());

    assertThat(
            reason(
                EventSignatureCodec.sign(other.getPrivate(), unknown, List.of(event)).getFirst(),
                event))
        .isEqualTo(Reason.UNKNOWN_KEY);
    assertThat(
            reason(
                EventSignatureCodec.sign(other.getPrivate(), key, List.of(event)).getFirst(),
                event))
        .isEqualTo(Reason.BAD_SIGNATURE);
  }

  @Test
  void shouldRefuseALeaseOfTheSameKey() {
    String lease = LeaseTokenCodec.sign(pair.getPrivate(), key, "r", 1, "default", Instant.EPOCH);

    assertThat(reason(lease, events(1).getFirst())).isEqualTo(Reason.MALFORMED);
  }

  @Test
  void shouldRefuseEveryChangedSignature() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 300; i++) {
      List<SignedEvent> events = events(1 + random.nextInt(9));
      int at = random.nextInt(events.size());
      String good = sign(events).get(at);
      String bad = change(good, random);
      if (decoded(bad).equals(decoded(good))) {
        continue; // The last character of base64 has bits without meaning.
      }
      assertThat(reason(bad, events.get(at))).as("seed %d: %s, %s", seed, good, bad).isNotNull();
    }
  }

  private static String change(String text, Random random) {
    String alphabet = "abcdefABCDEF0123456789-_.";
    StringBuilder changed = new StringBuilder(text);
    int at = random.nextInt(text.length());
    switch (random.nextInt(3)) {
      case 0 -> changed.deleteCharAt(at);
      case 1 -> changed.insert(at, alphabet.charAt(random.nextInt(alphabet.length())));
      default -> changed.setCharAt(at, alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return changed.toString();
  }

  private static List<Object> decoded(String text) {
    List<Object> parts = new ArrayList<>(List.of(text.split("\\.", -1)));
    for (int i = Math.max(0, parts.size() - 2); i < parts.size(); i++) {
      try {
        parts.set(i, new String(Base64.getUrlDecoder().decode((String) parts.get(i)), ISO_8859_1));
      } catch (IllegalArgumentException notBase64) {
        parts.set(i, notBase64);
      }
    }
    return parts;
  }
}
