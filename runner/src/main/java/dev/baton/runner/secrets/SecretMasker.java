/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.json.LazyJsonContainer;
import dev.baton.snapshot.FileContentScanner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the values of one run's secrets by {@code ***} in everything that leaves the runner. Has
 * the values that this process has resolved, also those that were rotated since. Costs nothing
 * without secrets. Thread-safe.
 */
public final class SecretMasker {
  /** The newest values of each secret that are kept: a secret may be rotated at any time. */
  private static final int MAX_VALUES = 16;

  /**
   * Characters of all values together. Their forms need about 300 bytes of memory for each, and
   * more for characters that encodings change.
   */
  static final int MAX_CHARACTERS = 128 * 1024;

  private static final String ELLIPSIS = "…";

  private final Map<String, Deque<String>> values = new HashMap<>();
  private volatile @Nullable PatternAutomaton automaton;

  /** Whether no secret is known: nothing is masked then. */
  public boolean isEmpty() {
    return automaton == null;
  }

  /**
   * Masks this value from now on.
   *
   * @param name of the secret
   * @throws SecretUnavailableException when the run's secrets are too large together
   */
  public synchronized void add(String name, String value) {
    Deque<String> known = values.computeIfAbsent(name, key -> new ArrayDeque<>());
    if (known.contains(value)) {
      return;
    }
    known.addLast(value);
    if (known.size() > MAX_VALUES) {
      known.removeFirst();
    }
    while (characters() > MAX_CHARACTERS) {
      Deque<String> rotated =
          values.values().stream().filter(kept -> kept.size() > 1).findFirst().orElse(null);
      if (rotated == null) {
        known.removeLast();
        throw new SecretUnavailableException(
            "secret '%s': the secrets of the run have more than %d characters together"
                .formatted(name, MAX_CHARACTERS),
            false);
      }
      rotated.removeFirst();
    }
    Set<String> all = new HashSet<>();
    values.values().forEach(all::addAll);
    List<byte[]> forms = new ArrayList<>();
    all.forEach(secret -> forms.addAll(SecretFormEncoder.forms(secret)));
    automaton = PatternAutomaton.of(forms);
  }

  private int characters() {
    return values.values().stream().flatMap(Deque::stream).mapToInt(String::length).sum();
  }

  /** Returns a masker of one stream; values that become known later are masked too. */
  public StreamMasker stream() {
    return new StreamMasker(() -> automaton);
  }

  /** Searches the content of a file; null without secrets. */
  FileContentScanner.@Nullable ContentScan scan() {
    PatternAutomaton patterns = automaton;
    return patterns == null ? null : new ByteScan(patterns);
  }

  /** Finds the first secret in a sequence of bytes. */
  private static final class ByteScan implements FileContentScanner.ContentScan {
    private final PatternAutomaton patterns;
    private int state = PatternAutomaton.ROOT;

    ByteScan(PatternAutomaton patterns) {
      this.patterns = patterns;
    }

    @Override
    public boolean accept(byte[] bytes, int offset, int length) {
      for (int i = offset; i < offset + length; i++) {
        byte next = bytes[i];
        if (next != '\n' && next != '\r') {
          state = patterns.next(state, next);
          if (patterns.match(state) > 0) {
            return false;
          }
        }
      }
      return true;
    }
  }

  /** Returns the text with masked secrets. */
  public String mask(String text) {
    PatternAutomaton patterns = automaton;
    if (patterns == null || text.isEmpty()) {
      return text;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (new ByteScan(patterns).accept(bytes, 0, bytes.length)) {
      return text;
    }
    return new String(mask(bytes), StandardCharsets.UTF_8);
  }

  /**
   * Returns a message with masked secrets. If it was shortened, the beginning of a secret at its
   * end is masked, too.
   */
  public String maskShortened(String message) {
    if (isEmpty() || !message.endsWith(ELLIPSIS)) {
      return mask(message);
    }
    String kept = message.substring(0, message.length() - ELLIPSIS.length());
    return new String(mask(kept.getBytes(StandardCharsets.UTF_8), true), StandardCharsets.UTF_8)
        + ELLIPSIS;
  }

  /** Returns the text with masked secrets; null for null. */
  public @Nullable String maskNullable(@Nullable String text) {
    return text == null ? null : mask(text);
  }

  /** Returns the bytes with masked secrets. */
  public byte[] mask(byte[] bytes) {
    return mask(bytes, false);
  }

  /**
   * Returns the bytes with masked secrets.
   *
   * @param cut whether the bytes are the beginning of more: the beginning of a secret at their end
   *     is masked, too
   */
  public byte[] mask(byte[] bytes, boolean cut) {
    PatternAutomaton patterns = automaton;
    if (patterns == null) {
      return bytes;
    }
    StreamMasker masker = new StreamMasker(() -> patterns);
    byte[] first = masker.accept(bytes, bytes.length);
    byte[] rest = cut ? masker.endCut() : masker.end();
    byte[] all = new byte[first.length + rest.length];
    System.arraycopy(first, 0, all, 0, first.length);
    System.arraycopy(rest, 0, all, first.length, rest.length);
    return all;
  }

  /**
   * Returns the value with masked secrets in its texts and names; the same instance if it has none.
   * A number that contains a secret becomes a text. Values that are loaded lazily were masked when
   * they were stored.
   */
  public JsonNode mask(JsonNode value) {
    if (automaton == null || value instanceof LazyJsonContainer) {
      return value;
    }
    return switch (value) {
      case ObjectNode object -> object(object);
      case ArrayNode array -> array(array);
      case TextNode text -> {
        String masked = mask(text.textValue());
        yield masked.equals(text.textValue()) ? text : TextNode.valueOf(masked);
      }
      default -> {
        String text = value.isNumber() ? value.asText() : "";
        String masked = mask(text);
        yield masked.equals(text) ? value : TextNode.valueOf(masked);
      }
    };
  }

  /** Returns the value with masked secrets; null for null. */
  public @Nullable JsonNode maskNullable(@Nullable JsonNode value) {
    return value == null ? null : mask(value);
  }

  private JsonNode object(ObjectNode object) {
    ObjectNode masked = JsonNodeFactory.instance.objectNode();
    boolean same = true;
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      String name = mask(member.getKey());
      JsonNode value = mask(member.getValue());
      same &= value == member.getValue() && name.equals(member.getKey());
      masked.set(name, value);
    }
    return same ? object : masked;
  }

  private JsonNode array(ArrayNode array) {
    ArrayNode masked = JsonNodeFactory.instance.arrayNode(array.size());
    boolean same = true;
    for (JsonNode item : array) {
      JsonNode value = mask(item);
      same &= value == item;
      masked.add(value);
    }
    return same ? array : masked;
  }
}
