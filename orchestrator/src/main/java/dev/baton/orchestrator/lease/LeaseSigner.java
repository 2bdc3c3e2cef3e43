/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.lease;

import dev.baton.lease.EventSignatureCodec;
import dev.baton.lease.LeaseKey;
import dev.baton.lease.LeaseTokenCodec;
import dev.baton.lease.ServiceTokenCodec;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.file.PrivateFolderCreator;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.sink.SignedRecordReader;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Signs leases: compact EdDSA tokens (RFC 8037) that allow their holder to carry a run in an epoch;
 * also tokens of this service and its control events. The key is generated at the first start and
 * stored in the data folder. Thread-safe.
 */
@ApplicationScoped
public class LeaseSigner {
  static final String KEY_FILE = "lease.key";
  private static final String ALGORITHM = LeaseKey.ALGORITHM;

  private final PrivateKey key;
  private final LeaseKey publicKey;

  LeaseSigner(OrchestratorConfig config) {
    try {
      KeyPair pair = load(config.data().resolve(KEY_FILE));
      key = pair.getPrivate();
      publicKey = LeaseKey.of(pair.getPublic().getEncoded());
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalStateException(
          "the lease key " + config.data().resolve(KEY_FILE) + " cannot be used", e);
    }
  }

  /** Returns a token for one run and one epoch. */
  public String mint(String run, int epoch, String project) {
    return LeaseTokenCodec.sign(key, publicKey, run, epoch, project, Instant.now());
  }

  /** Returns a token with which this orchestrator authenticates at the checkpoint-store. */
  public String signServiceToken(Instant now) {
    return ServiceTokenCodec.sign(
        key, publicKey, ServiceTokenCodec.ORCHESTRATOR, ServiceTokenCodec.STORE, now);
  }

  /** Adds signatures to the records of CloudEvents, which share them. */
  public void sign(List<ProducerRecord<String, byte[]>> records) {
    List<String> signatures =
        EventSignatureCodec.sign(
            key,
            publicKey,
            records.stream()
                .map(record -> SignedRecordReader.event(record.headers(), record.value()))
                .toList());
    for (int i = 0; i < records.size(); i++) {
      TraceCodec.sign(records.get(i).headers(), signatures.get(i));
    }
  }

  /** The key with which other services verify this replica's leases. */
  public LeaseKey publicKey() {
    return publicKey;
  }

  private static KeyPair load(Path file) throws IOException, GeneralSecurityException {
    if (!Files.exists(file)) {
      create(file);
    }
    List<String> lines = Files.readAllLines(file);
    if (lines.size() < 2) {
      throw new IOException(file + " has no key pair; delete it to generate a new one");
    }
    KeyFactory keys = KeyFactory.getInstance(ALGORITHM);
    Base64.Decoder decoder = Base64.getDecoder();
    return new KeyPair(
        keys.generatePublic(new X509EncodedKeySpec(decoder.decode(lines.get(1)))),
        keys.generatePrivate(new PKCS8EncodedKeySpec(decoder.decode(lines.get(0)))));
  }

  private static void create(Path file) throws IOException, GeneralSecurityException {
    KeyPair pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
    Base64.Encoder encoder = Base64.getEncoder();
    String text =
        encoder.encodeToString(pair.getPrivate().getEncoded())
            + "\n"
            + encoder.encodeToString(pair.getPublic().getEncoded())
            + "\n";
    PrivateFolderCreator.create(Objects.requireNonNull(file.toAbsolutePath().getParent()));
    Path fresh =
        Files.createTempFile(
            file.toAbsolutePath().getParent(),
            KEY_FILE,
            ".new",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.writeString(fresh, text, StandardOpenOption.TRUNCATE_EXISTING);
      Files.createLink(file, fresh);
    } catch (FileAlreadyExistsException another) {
      // Another replica with the same folder was first: use its key.
      return;
    } finally {
      Files.delete(fresh);
    }
  }
}
