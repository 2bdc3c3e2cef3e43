/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.io.Serializable;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * A cut of the workspace that an event carries. Inserted in the event's transaction; read-only
 * here.
 */
@Entity
@Immutable
@IdClass(CutEntity.Key.class)
@Table(schema = "store", name = "cut")
public class CutEntity {
  /** The event's id. */
  public record Key(String run, int lane, long seq) implements Serializable {}

  @Id String run = "";
  @Id int lane;
  @Id long seq;

  long position;
  String step = "";
  String digest = "";
  String format = "";

  @Column(name = "tree_bytes")
  long treeBytes;

  @Column(name = "stored_bytes")
  long storedBytes;

  @Column(name = "file_count")
  long fileCount;

  @Column(name = "time_micros")
  long timeMicros;

  @Nullable String checkpoint;

  protected CutEntity() {}

  /** The step's path; empty for a cut of the whole run. */
  public String step() {
    return step;
  }

  public String digest() {
    return digest;
  }

  public String format() {
    return format;
  }

  public int epoch() {
    return lane;
  }

  public long position() {
    return position;
  }

  public long treeBytes() {
    return treeBytes;
  }

  public long storedBytes() {
    return storedBytes;
  }

  public long fileCount() {
    return fileCount;
  }

  public long timeMicros() {
    return timeMicros;
  }

  /** The id of its checkpoint, which retention may have deleted; null if the cut has none. */
  public @Nullable String checkpoint() {
    return checkpoint;
  }
}
