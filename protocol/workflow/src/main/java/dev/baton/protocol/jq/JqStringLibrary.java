/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.baton.protocol.json.ExactNumberNodeFactory;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Functions on strings. */
final class JqStringLibrary {
  private JqStringLibrary() {}

  static void addTo(Map<String, JqNativeCallFilter.Function> all) {
    all.put("tojson/0", (m, in, a) -> JqTypeSystem.text(JqJsonWriter.of(m, in)));
    all.put("fromjson/0", (m, in, a) -> fromJson(m, in));
    all.put(
        "tostring/0",
        (m, in, a) -> in.isTextual() ? in : JqTypeSystem.text(JqJsonWriter.of(m, in)));
    all.put("tonumber/0", (m, in, a) -> toNumber(in));
    all.put("toboolean/0", (m, in, a) -> toBoolean(in));
    all.put("ascii_downcase/0", onText("ascii_downcase", s -> ascii(s, 'A', 'Z', 32)));
    all.put("ascii_upcase/0", onText("ascii_upcase", s -> ascii(s, 'a', 'z', -32)));
    all.put("trim/0", onText("trim", s -> trim(s, true, true)));
    all.put("ltrim/0", onText("ltrim", s -> trim(s, true, false)));
    all.put("rtrim/0", onText("rtrim", s -> trim(s, false, true)));
    all.put("explode/0", JqStringLibrary::explode);
    all.put("implode/0", JqStringLibrary::implode);
    all.put("utf8bytelength/0", JqStringLibrary::utf8Length);
    all.put(
        "startswith/1",
        (m, in, a) -> JqTypeSystem.bool(both(in, a[0], "startswith").startsWith(a[0].textValue())));
    all.put(
        "endswith/1",
        (m, in, a) -> JqTypeSystem.bool(both(in, a[0], "endswith").endsWith(a[0].textValue())));
    all.put("ltrimstr/1", (m, in, a) -> trimmed(m, in, a[0], true, false));
    all.put("rtrimstr/1", (m, in, a) -> trimmed(m, in, a[0], false, true));
    all.put("trimstr/1", (m, in, a) -> trimmed(m, in, a[0], true, true));
    all.put(
        "split/1",
        (m, in, a) -> {
          if (!in.isTextual() || !a[0].isTextual()) {
            throw new JqException("split input and separator must be strings");
          }
          return split(m, in.textValue(), a[0].textValue());
        });
    all.put("join/1", (m, in, a) -> join(m, in, a[0]));
    all.put("_indices/1", JqStringLibrary::indices);
    all.put("indices/1", JqStringLibrary::indices);
    all.put("index/1", (m, in, a) -> edge(indices(m, in, a), 0));
    all.put(
        "rindex/1",
        (m, in, a) -> {
          JsonNode found = indices(m, in, a);
          return edge(found, found.size() - 1);
        });
    all.put("error/0", (m, in, a) -> fail(in));
  }

  private static JsonNode fail(JsonNode in) {
    throw new JqException(in);
  }

  private static JsonNode edge(JsonNode found, int index) {
    return found.isEmpty() ? JqEvaluator.NULL : found.get(index);
  }

  private static String text(JsonNode in, String name) {
    if (!in.isTextual()) {
      throw new JqException(JqOperatorLibrary.shown(in) + " cannot be " + name);
    }
    return in.textValue();
  }

  private static JqNativeCallFilter.Function onText(String name, UnaryOperator<String> change) {
    String shown = name.endsWith("trim") ? "trim" : name;
    return (m, in, a) -> {
      if (!in.isTextual()) {
        throw new JqException(shown + " input must be a string");
      }
      m.charge(JqMemoryEstimator.text(in.textValue().length()));
      return JqTypeSystem.text(change.apply(in.textValue()));
    };
  }

  private static String trim(String text, boolean left, boolean right) {
    int from = 0;
    int to = text.length();
    while (left && from < to && isBlank(text.charAt(from))) {
      from++;
    }
    while (right && to > from && isBlank(text.charAt(to - 1))) {
      to--;
    }
    return text.substring(from, to);
  }

  private static boolean isBlank(char c) {
    return Character.isWhitespace(c) && (c < 0x1C || c > 0x1F)
        || Character.isSpaceChar(c)
        || c == 0x85;
  }

  private static String ascii(String text, char from, char to, int by) {
    char[] chars = text.toCharArray();
    for (int i = 0; i < chars.length; i++) {
      if (chars[i] >= from && chars[i] <= to) {
        chars[i] = (char) (chars[i] + by);
      }
    }
    return new String(chars);
  }

  private static String both(JsonNode in, JsonNode argument, String name) {
    if (!in.isTextual() || !argument.isTextual()) {
      throw new JqException(name + "() requires string inputs");
    }
    return in.textValue();
  }

  private static JsonNode trimmed(
      JqEvaluator m, JsonNode in, JsonNode what, boolean left, boolean right) {
    if (!in.isTextual() || !what.isTextual()) {
      return in;
    }
    String text = in.textValue();
    String part = what.textValue();
    m.charge(JqMemoryEstimator.text(text.length()));
    if (left && text.startsWith(part)) {
      text = text.substring(part.length());
    }
    if (right && text.endsWith(part)) {
      text = text.substring(0, text.length() - part.length());
    }
    return JqTypeSystem.text(text);
  }

  static JsonNode split(JqEvaluator m, String text, String separator) {
    ArrayNode parts = JqTypeSystem.array();
    if (text.isEmpty()) {
      return parts;
    }
    int at = 0;
    if (separator.isEmpty()) {
      while (at < text.length()) {
        int next = text.offsetByCodePoints(at, 1);
        m.charge(JqMemoryEstimator.ELEMENT + JqMemoryEstimator.text(1));
        parts.add(text.substring(at, next));
        at = next;
      }
      return parts;
    }
    while (true) {
      int next = text.indexOf(separator, at);
      String part = next < 0 ? text.substring(at) : text.substring(at, next);
      m.charge(JqMemoryEstimator.ELEMENT + JqMemoryEstimator.text(part.length()));
      parts.add(part);
      if (next < 0) {
        return parts;
      }
      at = next + separator.length();
    }
  }

  private static JsonNode join(JqEvaluator m, JsonNode in, JsonNode separator) {
    if (!in.isContainerNode()) {
      throw new JqException("Cannot iterate over " + JqOperatorLibrary.shown(in));
    }
    if (in.isEmpty()) {
      return JqTypeSystem.text("");
    }
    if (!separator.isTextual() && !(separator.isNull())) {
      throw new JqException(
          JqOperatorLibrary.shown(JqTypeSystem.text(""))
              + " and "
              + JqOperatorLibrary.shown(separator)
              + " cannot be added");
    }
    StringBuilder out = new StringBuilder();
    String before = "";
    for (JsonNode element : in) {
      if (element.isContainerNode()) {
        throw new JqException(
            JqOperatorLibrary.shown(JqTypeSystem.text(out.append(before).toString()))
                + " and "
                + JqOperatorLibrary.shown(element)
                + " cannot be added");
      }
      String text = element.isNull() ? "" : JqFormatLibrary.text(m, element);
      m.charge(2L * (text.length() + before.length()));
      out.append(before).append(text);
      before = separator.isNull() ? "" : separator.textValue();
    }
    return JqTypeSystem.text(out.toString());
  }

  private static JsonNode indices(JqEvaluator m, JsonNode in, JsonNode[] a) {
    JsonNode part = a[0];
    if (in.isNull()) {
      return in;
    }
    if (in.isArray()) {
      return JqPathAccessor.indices(m, in, part.isArray() ? part : JqTypeSystem.array(1).add(part));
    }
    if (!in.isTextual() || !part.isTextual()) {
      return JqPathAccessor.get(m, in, part);
    }
    String text = in.textValue();
    String sought = part.textValue();
    ArrayNode found = JqTypeSystem.array();
    if (sought.isEmpty()) {
      return JqEvaluator.NULL;
    }
    int counted = 0;
    int codePoints = 0;
    for (int at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
      codePoints += text.codePointCount(counted, at);
      counted = at;
      m.charge(JqMemoryEstimator.ELEMENT + JqMemoryEstimator.SCALAR);
      m.tick(sought.length());
      found.add(JqArithmetic.of(codePoints));
    }
    return found;
  }

  private static JsonNode explode(JqEvaluator m, JsonNode in, JsonNode[] a) {
    String text = text(in, "exploded");
    m.charge((long) (JqMemoryEstimator.ELEMENT + JqMemoryEstimator.SCALAR) * text.length());
    ArrayNode points = JqTypeSystem.array();
    text.codePoints().forEach(point -> points.add(JqArithmetic.of(point)));
    return points;
  }

  private static JsonNode implode(JqEvaluator m, JsonNode in, JsonNode[] a) {
    if (!in.isArray()) {
      throw new JqException("implode input must be an array");
    }
    m.charge(JqMemoryEstimator.text(2L * in.size()));
    StringBuilder out = new StringBuilder();
    for (JsonNode point : in) {
      if (!point.isNumber() || Double.isNaN(point.doubleValue())) {
        throw new JqException(
            JqOperatorLibrary.shown(point)
                + " can't be imploded, unicode codepoint needs to be numeric");
      }
      double value = Math.floor(point.doubleValue());
      boolean bad =
          value < 0 || value > Character.MAX_CODE_POINT || (value >= 0xD800 && value <= 0xDFFF);
      out.appendCodePoint(bad ? 0xFFFD : (int) value);
    }
    return JqTypeSystem.text(out.toString());
  }

  private static JsonNode utf8Length(JqEvaluator m, JsonNode in, JsonNode[] a) {
    if (!in.isTextual()) {
      throw new JqException(JqOperatorLibrary.shown(in) + " only strings have UTF-8 byte length");
    }
    m.charge(3L * in.textValue().length());
    return JqArithmetic.of(in.textValue().getBytes(StandardCharsets.UTF_8).length);
  }

  private static JsonNode toNumber(JsonNode in) {
    if (in.isNumber()) {
      return in;
    }
    if (in.isTextual()) {
      String text = in.textValue();
      try {
        if (text.matches(
            "[-+]?([0-9]{1,1000}([.][0-9]{0,1000})?|[.][0-9]{1,1000})([eE][-+]?[0-9]{1,9})?")) {
          JsonNode number = JqArithmetic.parse(text.startsWith("+") ? text.substring(1) : text);
          if (ExactNumberNodeFactory.isWithin(number)) {
            return number;
          }
        }
      } catch (NumberFormatException tooLong) {
        throw new JqException(JqOperatorLibrary.shown(in) + " cannot be parsed as a number");
      }
    }
    throw new JqException(JqOperatorLibrary.shown(in) + " cannot be parsed as a number");
  }

  private static JsonNode toBoolean(JsonNode in) {
    if (in.isBoolean()) {
      return in;
    }
    if (in.isTextual() && (in.textValue().equals("true") || in.textValue().equals("false"))) {
      return JqTypeSystem.bool(in.textValue().equals("true"));
    }
    throw new JqException(JqOperatorLibrary.shown(in) + " cannot be parsed as a boolean");
  }

  private static JsonNode fromJson(JqEvaluator m, JsonNode in) {
    if (!in.isTextual()) {
      throw new JqException(JqOperatorLibrary.shown(in) + " only strings can be parsed");
    }
    String text = in.textValue();
    // One byte of JSON can become an element of an array.
    m.charge(24L * text.length());
    if (text.strip().matches("-?(nan|NaN)")) {
      return JqArithmetic.of(Double.NaN);
    }
    if (text.isBlank()) {
      return JqEvaluator.NULL;
    }
    try {
      return Json.checkedTree(text);
    } catch (JsonProcessingException e) {
      throw new JqException(e.getOriginalMessage() + " (while parsing '" + cut(text) + "')");
    }
  }

  private static String cut(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100) + "...";
  }
}
