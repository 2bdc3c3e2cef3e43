/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import dev.baton.protocol.digest.Digest;
import dev.baton.snapshot.format.Hash;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.ObjectKind;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.packs.PackRepository;
import dev.baton.store.scheduling.Await;
import dev.baton.store.transfer.PresignedTransferService;
import dev.baton.transfer.ObjectRefusedException;
import dev.baton.transfer.PresignedObjectClient;
import dev.baton.transfer.RetryBudget;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/** Copies objects between the bucket and the archive; always verifies their digest. Blocks. */
@ApplicationScoped
class ObjectCopier {
  private static final int ATTEMPTS = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final BucketClient bucket;
  private final PresignedTransferService transfers;
  private final PackRepository packs;
  private final PresignedObjectClient objects;

  ObjectCopier(
      BucketClient bucket,
      PresignedTransferService transfers,
      PackRepository packs,
      StoreConfig config) {
    this.objects = PresignedObjectClient.create(config.tls().settings()::contextOfOthers);
    this.packs = packs;
    this.bucket = bucket;
    this.transfers = transfers;
  }

  /** Whether the bucket has the object with this size. */
  boolean has(ObjectName object) {
    return Await.get(bucket.size(key(object))).equals(OptionalLong.of(object.sizeBytes()));
  }

  /**
   * Reads an object into a file.
   *
   * @throws IOException if the bytes do not match its digest
   */
  void fetch(ObjectName object, Path file) throws IOException {
    try (InputStream in = bucket.open(key(object), 0, null)) {
      copy(in, object.digest(), file);
    }
  }

  /**
   * Uploads an object to the bucket as a runner does: its row is inserted first, and the object
   * store checks its digest.
   *
   * @param file temporary file for the bytes
   * @throws IOException if the bytes do not match the digest
   */
  void give(String run, ObjectName object, InputStream in, Path file) throws IOException {
    switch (Await.get(transfers.upload(run, List.of(object))).getFirst()) {
      case PresignedTransferService.Upload.Present present -> {}
      case PresignedTransferService.Upload.Wanted wanted -> {
        copy(in, object.digest(), file);
        put(wanted, file);
      }
    }
  }

  private String key(ObjectName object) {
    if (object.kind() != ObjectKind.PACK) {
      return object.key();
    }
    Hash digest = Hash.read(object.hash(), 0);
    return object.key()
        + Await.get(packs.suffixes(object.project(), List.of(digest))).getOrDefault(digest, "");
  }

  private void put(PresignedTransferService.Upload.Wanted wanted, Path file) throws IOException {
    try {
      RetryBudget.ofAttempts(ATTEMPTS, FIRST_PAUSE, LONGEST_PAUSE)
          .retry(
              () -> {
                objects.put(
                    wanted.putUrl(),
                    wanted.headers(),
                    wanted.object().sizeBytes(),
                    () -> Files.newInputStream(file));
                return file;
              });
    } catch (ObjectRefusedException e) {
      throw StoreRequestException.unavailable(
          "the object store refused %s: %s".formatted(wanted.object().key(), e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static void copy(InputStream in, String digest, Path file) throws IOException {
    MessageDigest sha = Digest.sha256();
    try (OutputStream out = new DigestOutputStream(Files.newOutputStream(file), sha)) {
      in.transferTo(out);
    }
    String found = Digest.ofHash(sha.digest());
    if (!found.equals(digest)) {
      throw new IOException("the bytes of " + digest + " have the digest " + found);
    }
  }
}
