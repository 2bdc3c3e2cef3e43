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
final class JqRegexLibrary {
  private static final int CACHED = 256;

  private static final Map<Key, BoundedPattern> CACHE =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, BoundedPattern> eldest) {
          return size() > CACHED;
        }
      };

  private JqRegexLibrary() {}

  private record Key(String pattern, int options) {}

  /**
   * The parameters of a search: the pattern, whether to find all matches, and whether to ignore
   * empty ones.
   */
  record Search(BoundedPattern pattern, boolean all, boolean notEmpty) {}

  static void addTo(Map<String, JqNativeCallFilter.Function> all) {
    all.put(
        "_match/3",
        (m, in, a) -> {
          Search search = search(a[0], a[1]);
          String text = text(in);
          if (JqTypeSystem.isTrue(a[2])) {
            Search first = new Search(search.pattern(), false, search.notEmpty());
            return JqTypeSystem.bool(!matches(m, text, first).isEmpty());
          }
          ArrayNode found = JqTypeSystem.array();
          matches(m, text, search).forEach(match -> found.add(toNode(m, match)));
          return found;
        });
    all.put("_captures/0", (m, in, a) -> captures(m, in.path("captures")));
    all.put("_splits/2", JqRegexLibrary::splits);
  }

  static String text(JsonNode in) {
    if (!in.isTextual()) {
      throw new JqException(
          JqOperatorLibrary.shown(in) + " cannot be matched, as it is not a string");
    }
    return in.textValue();
  }

  /** Creates a search from a pattern and its flags, or from an array of both. */
  static Search search(JsonNode pattern, JsonNode flags) {
    JsonNode re = pattern;
    JsonNode how = flags;
    if (pattern.isArray()) {
      re = pattern.path(0);
      how = pattern.size() > 1 ? pattern.get(1) : flags;
    }
    if (!re.isTextual()) {
      throw new JqException(
          JqOperatorLibrary.shown(pattern) + " cannot be matched, as it is not a string");
    }
    if (!how.isTextual() && !how.isNull()) {
      throw new JqException(JqOperatorLibrary.shown(how) + " is not a string");
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
        default -> throw new JqException(how.textValue() + " is not a valid modifier string");
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
      String shown = JqJsonWriter.shortened(JqTypeSystem.text(pattern), 100);
      throw new JqException(shown + " is not a valid regex: " + e.getMessage());
    }
    synchronized (CACHE) {
      CACHE.put(key, fresh);
    }
    return fresh;
  }

  /**
   * A part of a match.
   *
   * @param offset in code points; -1 for a group that did not match
   * @param from in Java chars
   * @param to in Java chars
   */
  record Part(
      int offset, int length, @Nullable String text, @Nullable String name, int from, int to) {}

  /** A match: the first part is the whole match, the others are its groups. */
  record Found(List<Part> parts) {}

  static List<Found> matches(JqEvaluator m, String text, Search search) {
    m.charge(64L * text.length());
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Utf8OffsetMapper offsets = new Utf8OffsetMapper(text, bytes);
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
          case SYNTAX, TOO_LONG -> new JqException(String.valueOf(e.getMessage()));
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
      JqEvaluator m,
      String text,
      BoundedPattern pattern,
      BoundedPattern.Match match,
      Utf8OffsetMapper at) {
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
      m.charge(2L * JqMemoryEstimator.OBJECT + JqMemoryEstimator.text((long) to - from));
      int first = at.codePoint(start);
      String part = text.substring(from, to);
      parts.add(new Part(first, at.codePoint(end) - first, part, name, from, to));
    }
    return new Found(parts);
  }

  private static JsonNode toNode(JqEvaluator m, Found found) {
    ObjectNode node = toNode(found.parts().getFirst());
    ArrayNode captures = JqTypeSystem.array();
    for (Part part : found.parts().subList(1, found.parts().size())) {
      m.charge(JqMemoryEstimator.OBJECT + 4L * JqMemoryEstimator.MEMBER);
      ObjectNode capture = toNode(part);
      capture.put("name", part.name());
      captures.add(capture);
    }
    node.set("captures", captures);
    m.charge(JqMemoryEstimator.OBJECT + 4L * JqMemoryEstimator.MEMBER);
    return node;
  }

  private static ObjectNode toNode(Part part) {
    return JqTypeSystem.object()
        .put("offset", part.offset())
        .put("length", part.length())
        .put("string", part.text());
  }

  private static JsonNode captures(JqEvaluator m, JsonNode captures) {
    ObjectNode all = JqTypeSystem.object();
    for (JsonNode capture : captures) {
      if (capture.path("name").isTextual()) {
        m.charge(JqMemoryEstimator.MEMBER);
        all.set(capture.get("name").textValue(), capture.get("string"));
      }
    }
    return all;
  }

  /** Returns the named groups of a match as an object. */
  static ObjectNode named(JqEvaluator m, Found found) {
    ObjectNode all = JqTypeSystem.object();
    m.charge(JqMemoryEstimator.OBJECT);
    for (Part part : found.parts()) {
      if (part.name() != null) {
        m.charge(JqMemoryEstimator.MEMBER);
        all.put(part.name(), part.text());
      }
    }
    return all;
  }

  private static JsonNode splits(JqEvaluator m, JsonNode in, JsonNode[] a) {
    Search search = search(a[0], a[1]);
    String text = text(in);
    ArrayNode parts = JqTypeSystem.array();
    int from = 0;
    for (Found found : matches(m, text, new Search(search.pattern(), true, search.notEmpty()))) {
      Part whole = found.parts().getFirst();
      parts.add(text.substring(from, whole.from()));
      from = whole.to();
    }
    m.charge(JqMemoryEstimator.text(text.length()) + (long) JqMemoryEstimator.TEXT * parts.size());
    return parts.add(text.substring(from));
  }
}
