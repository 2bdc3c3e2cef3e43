/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.session;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A session in memory: identity, tags, relatives, and slices that events change. Thread-safe; an
 * event changes all slices or none.
 */
public final class LoopSession {
  private final String id;
  private final Instant created;
  private final @Nullable String parent;
  private final Map<String, SessionSlice<?>> slices = new LinkedHashMap<>();
  private Map<String, String> tags;
  private List<String> children = List.of();
  private Map<String, Object> values = new TreeMap<>();

  /**
   * @param parent id of the session that starts this one; null for none
   * @param slices with different names
   */
  public LoopSession(
      String id,
      Instant created,
      @Nullable String parent,
      Map<String, String> tags,
      List<SessionSlice<?>> slices) {
    this.id = id;
    this.created = created;
    this.parent = parent;
    this.tags = Map.copyOf(tags);
    for (SessionSlice<?> slice : slices) {
      if (this.slices.put(slice.name(), slice) != null) {
        throw new IllegalArgumentException("two slices have the name '" + slice.name() + "'");
      }
      values.put(slice.name(), slice.initial());
    }
  }

  public String id() {
    return id;
  }

  public Instant created() {
    return created;
  }

  public @Nullable String parent() {
    return parent;
  }

  public synchronized Map<String, String> tags() {
    return tags;
  }

  public synchronized List<String> children() {
    return children;
  }

  /** Adds a session that this one has started. */
  public synchronized void addChild(String child) {
    List<String> more = new ArrayList<>(children);
    more.add(child);
    children = List.copyOf(more);
  }

  /**
   * Returns the value of a slice.
   *
   * @throws IllegalArgumentException for a slice that the session does not have
   */
  public synchronized <T> T get(SessionSlice<T> slice) {
    if (slices.get(slice.name()) != slice) {
      throw new IllegalArgumentException("the session has no slice '" + slice.name() + "'");
    }
    return slice.type().cast(Objects.requireNonNull(values.get(slice.name())));
  }

  /**
   * Applies an event to all slices.
   *
   * @return names of the slices with another value
   */
  public synchronized List<String> dispatch(SessionEvent event) {
    Map<String, Object> next = new TreeMap<>();
    List<String> changed = new ArrayList<>();
    for (SessionSlice<?> slice : slices.values()) {
      Object before = Objects.requireNonNull(values.get(slice.name()));
      Object after = reduced(slice, before, event);
      next.put(slice.name(), after);
      if (!after.equals(before)) {
        changed.add(slice.name());
      }
    }
    values = next;
    return changed;
  }

  private static <T> Object reduced(SessionSlice<T> slice, Object before, SessionEvent event) {
    return slice.reducer().apply(slice.type().cast(before), event);
  }

  /** The JSON of a slice, as in snapshots. */
  synchronized JsonNode json(String name) {
    return Objects.requireNonNull(slices.get(name)).write(Objects.requireNonNull(values.get(name)));
  }

  /** Replaces the values of some slices by those of snapshots; all of them or none. */
  synchronized void restore(Map<String, JsonNode> changed) throws SessionFileException {
    Map<String, Object> next = new TreeMap<>(values);
    for (Map.Entry<String, JsonNode> entry : changed.entrySet()) {
      SessionSlice<?> slice = slices.get(entry.getKey());
      if (slice == null) {
        throw new SessionFileException(
            "slice '%s' is unknown; known are %s".formatted(entry.getKey(), slices.keySet()));
      }
      next.put(entry.getKey(), slice.read(entry.getValue()));
    }
    values = next;
  }

  /** Returns the state; later changes do not affect it. */
  public synchronized SessionSnapshot snapshot() {
    Map<String, JsonNode> all = new TreeMap<>();
    slices.keySet().forEach(name -> all.put(name, json(name)));
    return new SessionSnapshot(id, created, tags, parent, children, all);
  }

  /**
   * Returns to a snapshot: tags, children and all slices; slices that it does not have get their
   * initial values.
   *
   * @throws SessionFileException when it is of another session, or a slice cannot be read; nothing
   *     is changed then
   */
  public synchronized void rollback(SessionSnapshot snapshot) throws SessionFileException {
    if (!snapshot.id().equals(id)) {
      throw new SessionFileException("the snapshot is of session " + snapshot.id() + ", not " + id);
    }
    Map<String, Object> before = values;
    Map<String, Object> initial = new TreeMap<>();
    slices.values().forEach(slice -> initial.put(slice.name(), slice.initial()));
    values = initial;
    try {
      restore(snapshot.slices());
    } catch (SessionFileException e) {
      values = before;
      throw e;
    }
    tags = snapshot.tags();
    children = snapshot.children();
  }
}
