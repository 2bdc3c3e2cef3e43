/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.key;

import dev.baton.gateway.wire.ConversationItem;
import dev.baton.gateway.wire.ConversationItem.Kind;
import dev.baton.gateway.wire.ModelRequest;
import dev.baton.gateway.wire.WireForm;
import dev.baton.protocol.digest.Digest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Computes the key of a request: SHA-256 over form, model, required output format, whether tools
 * are offered, and the conversation without what the agent adds when it resumes. See ADR 0060.
 *
 * <p>Thread-safe.
 */
public final class ConversationKeyBuilder {
  /** Changes with every change of the canonical notation. */
  private static final String VERSION = "conversation-key/1";

  private final AgentFamily family;

  public ConversationKeyBuilder(AgentFamily family) {
    this.family = family;
  }

  /**
   * @return {@code sha256:<64 hex>}
   */
  public String key(WireForm form, ModelRequest request) {
    MessageDigest digest = Digest.sha256();
    add(digest, VERSION);
    add(digest, form.id());
    add(digest, request.model());
    add(digest, request.answerFormat());
    add(digest, request.tools().isEmpty() ? "without tools" : "with tools");
    for (ConversationItem item : canonical(request.items())) {
      add(digest, item.kind().name());
      add(digest, item.role());
      add(digest, item.id());
      add(digest, item.value());
    }
    return Digest.ofHash(digest.digest());
  }

  /**
   * Computes the digest of system prompt and tools. It prefers one of several answers with the same
   * key, and never excludes one: both may change at a resume.
   */
  public String affinity(ModelRequest request) {
    MessageDigest digest = Digest.sha256();
    add(digest, request.instructions());
    request.tools().forEach(tool -> add(digest, tool));
    return Digest.ofHash(digest.digest());
  }

  /**
   * The digest of the first item that is left: names a conversation that has no name of its own.
   */
  public String opening(ModelRequest request) {
    MessageDigest digest = Digest.sha256();
    List<ConversationItem> items = canonical(request.items());
    if (!items.isEmpty()) {
      add(digest, items.getFirst().value());
    }
    return Digest.ofHash(digest.digest()).substring("sha256:".length(), "sha256:".length() + 16);
  }

  private List<ConversationItem> canonical(List<ConversationItem> items) {
    List<ConversationItem> kept = new ArrayList<>();
    for (ConversationItem item : items) {
      String value =
          item.kind() == Kind.CALL || item.kind() == Kind.OTHER ? item.value() : stripped(item);
      if (item.kind() == Kind.TEXT && value.isBlank()) {
        continue;
      }
      kept.add(new ConversationItem(item.kind(), item.role(), item.id(), value));
    }
    sortResults(kept);
    return joinedTexts(kept);
  }

  private String stripped(ConversationItem item) {
    String value =
        item.role().equals("assistant")
            ? family.stripAnswer(item.value())
            : family.strip(item.value());
    return value.strip();
  }

  /** Parallel calls end in any order, and agents list their results in any order. */
  private static void sortResults(List<ConversationItem> items) {
    int from = 0;
    while (from < items.size()) {
      int to = from;
      while (to < items.size() && items.get(to).kind() == Kind.RESULT) {
        to++;
      }
      items.subList(from, to).sort(Comparator.comparing(ConversationItem::id));
      from = Math.max(to, from + 1);
    }
  }

  /** Agents split and join neighbouring texts. */
  private static List<ConversationItem> joinedTexts(List<ConversationItem> items) {
    List<ConversationItem> joined = new ArrayList<>();
    for (ConversationItem item : items) {
      ConversationItem last = joined.isEmpty() ? null : joined.getLast();
      if (last != null
          && last.kind() == Kind.TEXT
          && item.kind() == Kind.TEXT
          && last.role().equals(item.role())) {
        joined.removeLast();
        joined.add(
            new ConversationItem(Kind.TEXT, item.role(), "", last.value() + "\n" + item.value()));
      } else {
        joined.add(item);
      }
    }
    return joined;
  }

  /** Lengths separate the fields: no two lists of texts have the same bytes. */
  private static void add(MessageDigest digest, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
    digest.update(bytes);
  }
}
