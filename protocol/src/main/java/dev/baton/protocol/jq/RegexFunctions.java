/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.regex.BoundedPattern;
import dev.baton.protocol.regex.RegexException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.joni.Option;
import org.jspecify.annotations.Nullable;

/** Functions with regular expressions. */
final class RegexFunctions {
  private static final int CACHED = 256;

  private static final Map<Key, BoundedPattern> CACHE =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, BoundedPattern> eldest) {
          return size() > CACHED;
        }
      };

  private RegexFunctions() {}

  private record Key(String pattern, int options) {}

  /** How to search: a pattern, whether for all matches, and whether empty ones count. */
  record Search(BoundedPattern pattern, boolean all, boolean notEmpty) {}

  static void addTo(Map<String, Apply.Function> all) {
    all.put(
        "_match/3",
        (m, in, a) -> {
          Search search = search(a[0], a[1]);
          String text = text(in);
          if (Values.isTrue(a[2])) {
            Search first = new Search(search.pattern(), false, search.notEmpty());
            return Values.bool(!matches(m, text, first).isEmpty());
          }
          ArrayNode found = Values.array();
          matches(m, text, search).forEach(match -> found.add(toNode(m, match)));
          return found;
        });
    all.put("_captures/0", (m, in, a) -> captures(m, in.path("captures")));
    all.put("_splits/2", RegexFunctions::splits);
  }

  static String text(JsonNode in) {
    if (!in.isTextual()) {
      throw new JqError(Operators.shown(in) + " cannot be matched, as it is not a string");
    }
    return in.textValue();
  }

  /** Of a pattern and its flags, or of an array with both. */
  static Search search(JsonNode pattern, JsonNode flags) {
    JsonNode re = pattern;
    JsonNode how = flags;
    if (pattern.isArray()) {
      re = pattern.path(0);
      how = pattern.size() > 1 ? pattern.get(1) : flags;
    }
    if (!re.isTextual()) {
      throw new JqError(Operators.shown(pattern) + " cannot be matched, as it is not a string");
    }
    if (!how.isTextual() && !how.isNull()) {
      throw new JqError(Operators.shown(how) + " is not a string");
    }
    int options = 0;
    boolean all = false;
    boolean notEmpty = false;
    for (char c : (how.isNull() ? "" : how.textValue()).toCharArray()) {
      switch (c) {
        case 'g' -> all = true;
        case 'n' -> notEmpty = true;
        case 'i' -> options |= Option.IGNORECASE;
        case 'x' -> options |= Option.EXTEND;
        case 's' -> options |= Option.SINGLELINE;
        case 'p' -> options |= Option.MULTILINE | Option.SINGLELINE;
        case 'l' -> options |= Option.FIND_LONGEST;
        default -> throw new JqError(how.textValue() + " is not a valid modifier string");
      }
    }
    return new Search(compiled(re.textValue(), options), all, notEmpty);
  }

  private static BoundedPattern compiled(String pattern, int options) {
    Key key = new Key(pattern, options);
    synchronized (CACHE) {
      BoundedPattern known = CACHE.get(key);
      if (known != null) {
        return known;
      }
    }
    BoundedPattern fresh;
    try {
      fresh = BoundedPattern.ofJq(pattern, options);
    } catch (RegexException e) {
      String shown = JsonText.shortened(Values.text(pattern), 100);
      throw new JqError(shown + " is not a valid regex: " + e.getMessage());
    }
    synchronized (CACHE) {
      CACHE.put(key, fresh);
    }
    return fresh;
  }

  /**
   * A part of a match.
   *
   * @param offset in code points; -1 where the group took no part
   * @param from in Java's characters
   * @param to in Java's characters
   */
  record Part(
      int offset, int length, @Nullable String text, @Nullable String name, int from, int to) {}

  /** A match; the first part is the whole of it, then its groups. */
  record Found(List<Part> parts) {}

  static List<Found> matches(Machine m, String text, Search search) {
    m.charge(64L * text.length());
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Offsets offsets = new Offsets(text, bytes);
    List<Found> found = new ArrayList<>();
    int from = 0;
    while (from <= bytes.length) {
      m.tick();
      BoundedPattern.Match match;
      try {
        match = search.pattern().find(bytes, from, m.nanosLeft());
      } catch (RegexException e) {
        throw switch (e.reason()) {
          case TIMEOUT -> new JqLimitException(JqLimitException.Bound.TIME);
          case SYNTAX, TOO_LONG -> new JqError(String.valueOf(e.getMessage()));
        };
      }
      if (match == null) {
        break;
      }
      boolean empty = match.start() == match.end();
      if (!(empty && search.notEmpty())) {
        found.add(found(m, text, search.pattern(), match, offsets));
      }
      if (!search.all()) {
        break;
      }
      from = empty ? offsets.after(match.end()) : match.end();
    }
    return found;
  }

  private static Found found(
      Machine m, String text, BoundedPattern pattern, BoundedPattern.Match match, Offsets at) {
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < match.starts().size(); i++) {
      int start = match.starts().get(i);
      int end = match.ends().get(i);
      String name = i == 0 ? null : pattern.name(i);
      if (start < 0) {
        parts.add(new Part(-1, 0, null, name, 0, 0));
        continue;
      }
      int from = at.character(start);
      int to = at.character(end);
      m.charge(2L * LiveBytes.OBJECT + LiveBytes.text((long) to - from));
      int first = at.codePoint(start);
      String part = text.substring(from, to);
      parts.add(new Part(first, at.codePoint(end) - first, part, name, from, to));
    }
    return new Found(parts);
  }

  private static JsonNode toNode(Machine m, Found found) {
    ObjectNode node = toNode(found.parts().getFirst());
    ArrayNode captures = Values.array();
    for (Part part : found.parts().subList(1, found.parts().size())) {
      m.charge(LiveBytes.OBJECT + 4L * LiveBytes.MEMBER);
      ObjectNode capture = toNode(part);
      capture.put("name", part.name());
      captures.add(capture);
    }
    node.set("captures", captures);
    m.charge(LiveBytes.OBJECT + 4L * LiveBytes.MEMBER);
    return node;
  }

  private static ObjectNode toNode(Part part) {
    return Values.object()
        .put("offset", part.offset())
        .put("length", part.length())
        .put("string", part.text());
  }

  private static JsonNode captures(Machine m, JsonNode captures) {
    ObjectNode all = Values.object();
    for (JsonNode capture : captures) {
      if (capture.path("name").isTextual()) {
        m.charge(LiveBytes.MEMBER);
        all.set(capture.get("name").textValue(), capture.get("string"));
      }
    }
    return all;
  }

  /** The named groups of a match. */
  static ObjectNode named(Machine m, Found found) {
    ObjectNode all = Values.object();
    m.charge(LiveBytes.OBJECT);
    for (Part part : found.parts()) {
      if (part.name() != null) {
        m.charge(LiveBytes.MEMBER);
        all.put(part.name(), part.text());
      }
    }
    return all;
  }

  private static JsonNode splits(Machine m, JsonNode in, JsonNode[] a) {
    Search search = search(a[0], a[1]);
    String text = text(in);
    ArrayNode parts = Values.array();
    int from = 0;
    for (Found found : matches(m, text, new Search(search.pattern(), true, search.notEmpty()))) {
      Part whole = found.parts().getFirst();
      parts.add(text.substring(from, whole.from()));
      from = whole.to();
    }
    m.charge(LiveBytes.text(text.length()) + (long) LiveBytes.TEXT * parts.size());
    return parts.add(text.substring(from));
  }
}
