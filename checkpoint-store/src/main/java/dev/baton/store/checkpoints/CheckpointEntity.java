/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.checkpoints;

import dev.baton.snapshot.format.Hash;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/** A checkpoint's row without its manifest. Read-only. */
@Entity
@Immutable
@Table(schema = "store", name = "checkpoint")
public class CheckpointEntity {
  @Id String id = "";
  String run = "";
  String project = "";
  int epoch;
  String step = "";
  String trigger = "";

  @Column(name = "created_at")
  Instant createdAt = Instant.EPOCH;

  byte[] digest = new byte[0];

  @Column(name = "size_bytes")
  long sizeBytes;

  @Column(name = "stored_bytes")
  long storedBytes;

  @Column(name = "file_count")
  long fileCount;

  @Column(name = "pack_count")
  int packCount;

  @Column(name = "pack_bytes")
  long packBytes;

  @Column(name = "pinned_at")
  @Nullable Instant pinnedAt;

  @Column(name = "pinned_by")
  @Nullable String pinnedBy;

  @Column(name = "pin_reason")
  @Nullable String pinReason;

  @Column(name = "verified_at")
  @Nullable Instant verifiedAt;

  @Nullable String problem;

  protected CheckpointEntity() {}

  public String id() {
    return id;
  }

  public String run() {
    return run;
  }

  public String project() {
    return project;
  }

  public int epoch() {
    return epoch;
  }

  /** The step's path; empty for a checkpoint of the whole run. */
  public String step() {
    return step;
  }

  public String trigger() {
    return trigger;
  }

  public Instant createdAt() {
    return createdAt;
  }

  /** The digest of the tree. */
  public Hash digest() {
    return Hash.read(digest, 0);
  }

  public long sizeBytes() {
    return sizeBytes;
  }

  public long storedBytes() {
    return storedBytes;
  }

  public long fileCount() {
    return fileCount;
  }

  public int packCount() {
    return packCount;
  }

  public long packBytes() {
    return packBytes;
  }

  public @Nullable Instant pinnedAt() {
    return pinnedAt;
  }

  public @Nullable String pinnedBy() {
    return pinnedBy;
  }

  public @Nullable String pinReason() {
    return pinReason;
  }

  public @Nullable Instant verifiedAt() {
    return verifiedAt;
  }

  /** The problem that verification found; null if none is known. */
  public @Nullable String problem() {
    return problem;
  }
}
