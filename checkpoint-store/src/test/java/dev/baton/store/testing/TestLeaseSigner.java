/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.baton.lease.EventSignatureCodec;
import dev.baton.lease.EventSignatureCodec.SignedEvent;
import dev.baton.lease.LeaseKey;
import dev.baton.lease.ServiceTokenCodec;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.TraceCodec;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Signs leases, as an orchestrator does. */
public final class TestLeaseSigner {
  private final KeyPair pair;
  private final LeaseKey key;

  public TestLeaseSigner() {
    try {
      pair = KeyPairGenerator.getInstance(LeaseKey.ALGORITHM).generateKeyPair();
      key = LeaseKey.of(pair.getPublic().getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  public String lease(String run, int epoch) {
    return lease(run, epoch, "default");
  }

  public String lease(String run, int epoch, String project) {
    return lease(key.kid(), run, epoch, project);
  }

  /** Signs a lease with this key but names the key of another signer. */
  public String forged(TestLeaseSigner of, String run, int epoch) {
    return lease(of.key.kid(), run, epoch, "default");
  }

  private String lease(String kid, String run, int epoch, String project) {
    String signed =
        base64(Json.bytes(Map.of("alg", "EdDSA", "kid", kid)))
            + "."
            + base64(
                Json.bytes(Map.of("iss", "baton", "sub", run, "epoch", epoch, "project", project)));
    try {
      Signature signature = Signature.getInstance(LeaseKey.ALGORITHM);
      signature.initSign(pair.getPrivate());
      signature.update(signed.getBytes(US_ASCII));
      return signed + "." + base64(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Adds the signature of an orchestrator to a control event. */
  public ProducerRecord<String, byte[]> signed(ProducerRecord<String, byte[]> record) {
    SignedEvent event =
        new SignedEvent(
            Objects.requireNonNull(TraceCodec.attribute(record.headers(), "id")),
            Objects.requireNonNull(TraceCodec.attribute(record.headers(), "type")),
            record.value());
    TraceCodec.sign(
        record.headers(),
        EventSignatureCodec.sign(pair.getPrivate(), key, List.of(event)).getFirst());
    return record;
  }

  /** Signs a token of an orchestrator. */
  public String serviceToken(String audience, Instant now) {
    return ServiceTokenCodec.sign(
        pair.getPrivate(), key, ServiceTokenCodec.ORCHESTRATOR, audience, now);
  }

  /** Returns the key set that an orchestrator with these keys publishes. */
  public static String published(TestLeaseSigner... signers) {
    List<Map<String, String>> keys =
        Arrays.stream(signers).map(signer -> signer.key.jwk()).toList();
    return new String(Json.bytes(Map.of("keys", keys)), US_ASCII);
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
