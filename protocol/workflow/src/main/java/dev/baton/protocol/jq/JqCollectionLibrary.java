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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Functions on arrays, objects and values of any type. */
final class JqCollectionLibrary {
  private static final List<String> KEYS = List.of("key", "k", "name", "Name", "K", "Key");
  private static final List<String> VALUES = List.of("value", "v", "Value", "V");

  private JqCollectionLibrary() {}

  static void addTo(Map<String, JqNativeCallFilter.Function> all) {
    all.put("not/0", (m, in, a) -> JqTypeSystem.bool(!JqTypeSystem.isTrue(in)));
    all.put("type/0", (m, in, a) -> JqTypeSystem.text(JqTypeSystem.type(in)));
    all.put("length/0", (m, in, a) -> length(in));
    all.put("keys/0", (m, in, a) -> keys(m, in, true));
    all.put("keys_unsorted/0", (m, in, a) -> keys(m, in, false));
    all.put("has/1", (m, in, a) -> has(in, a[0]));
    all.put("contains/1", (m, in, a) -> JqTypeSystem.bool(contains(m, in, a[0])));
    all.put("add/0", JqCollectionLibrary::add);
    all.put("reverse/0", JqCollectionLibrary::reverse);
    all.put("sort/0", (m, in, a) -> arrayOf(m, JqTypeSystem.sorted(m, array(in, "sorted"))));
    all.put("unique/0", JqCollectionLibrary::unique);
    all.put("min/0", (m, in, a) -> best(m, in, in, -1));
    all.put("max/0", (m, in, a) -> best(m, in, in, 1));
    all.put("_min_by/1", (m, in, a) -> best(m, in, a[0], -1));
    all.put("_max_by/1", (m, in, a) -> best(m, in, a[0], 1));
    all.put("_sort_by/1", (m, in, a) -> sortBy(m, in, a[0]));
    all.put("_group_by/1", (m, in, a) -> groupBy(m, in, a[0]));
    all.put("to_entries/0", JqCollectionLibrary::toEntries);
    all.put("from_entries/0", JqCollectionLibrary::fromEntries);
    all.put("flatten/0", (m, in, a) -> flatten(m, in, Integer.MAX_VALUE));
    all.put("flatten/1", (m, in, a) -> flatten(m, in, depth(a[0])));
    all.put("transpose/0", JqCollectionLibrary::transpose);
    all.put("toarray/0", (m, in, a) -> in.isArray() ? in : JqTypeSystem.array(1).add(in));
    all.put("setpath/2", (m, in, a) -> JqPathAccessor.setPath(m, in, a[0], a[1]));
    all.put("delpaths/1", (m, in, a) -> JqPathAccessor.deletePaths(m, in, a[0]));
    all.put("_set/2", change((m, before, v) -> v));
    all.put("_plus/2", change(JqOperatorLibrary::plus));
    all.put("_minus/2", change(JqOperatorLibrary::minus));
    all.put("_times/2", change(JqOperatorLibrary::times));
    all.put("_divide/2", change(JqOperatorLibrary::divide));
    all.put("_modulo/2", change((m, before, v) -> JqOperatorLibrary.modulo(before, v)));
    all.put("_alternative/2", change((m, before, v) -> JqTypeSystem.isTrue(before) ? before : v));
    all.put("bsearch/1", JqCollectionLibrary::search);
    all.put("have_literal_numbers/0", (m, in, a) -> JqTypeSystem.bool(true));
    all.put("have_decnum/0", (m, in, a) -> JqTypeSystem.bool(true));
  }

  private static JqNativeCallFilter.Function change(JqPathAccessor.Change change) {
    return (m, in, a) -> JqPathAccessor.changeAll(m, in, a[0], a[1], change);
  }

  private static JsonNode array(JsonNode in, String what) {
    if (!in.isArray()) {
      throw new JqException(
          JqOperatorLibrary.shown(in) + " cannot be " + what + ", as it is not an array");
    }
    return in;
  }

  private static JsonNode arrayOf(JqEvaluator m, List<JsonNode> elements) {
    m.charge(JqMemoryEstimator.ARRAY + (long) JqMemoryEstimator.ELEMENT * elements.size());
    return JqTypeSystem.array(elements.size()).addAll(elements);
  }

  private static JsonNode length(JsonNode in) {
    return switch (in.getNodeType()) {
      case NULL, MISSING -> JqArithmetic.of(0);
      case NUMBER -> in.doubleValue() < 0 ? JqArithmetic.negate(in) : in;
      case STRING, BINARY -> JqArithmetic.of(JqTypeSystem.length(in.textValue()));
      case ARRAY, OBJECT, POJO -> JqArithmetic.of(in.size());
      case BOOLEAN -> throw new JqException(JqOperatorLibrary.shown(in) + " has no length");
    };
  }

  private static JsonNode keys(JqEvaluator m, JsonNode in, boolean sorted) {
    if (!in.isContainerNode()) {
      throw new JqException(JqOperatorLibrary.shown(in) + " has no keys");
    }
    m.charge(
        JqMemoryEstimator.ARRAY
            + (long) (JqMemoryEstimator.ELEMENT + JqMemoryEstimator.TEXT) * in.size());
    ArrayNode keys = JqTypeSystem.array(in.size());
    if (in.isArray()) {
      for (int i = 0; i < in.size(); i++) {
        keys.add(JqArithmetic.of(i));
      }
    } else if (sorted) {
      JqTypeSystem.sortedNames(m, in).forEach(keys::add);
    } else {
      in.fieldNames().forEachRemaining(keys::add);
    }
    return keys;
  }

  private static JsonNode has(JsonNode in, JsonNode key) {
    if (in.isObject() && key.isTextual()) {
      return JqTypeSystem.bool(in.has(key.textValue()));
    }
    if (in.isArray() && key.isNumber()) {
      return JqTypeSystem.bool(key.doubleValue() >= 0 && key.doubleValue() < in.size());
    }
    throw new JqException(
        "Cannot check whether "
            + JqTypeSystem.type(in)
            + " has a "
            + (key.isTextual() ? "string" : JqTypeSystem.type(key))
            + " key");
  }

  private static boolean contains(JqEvaluator m, JsonNode a, JsonNode b) {
    m.tick();
    if (a.isObject() && b.isObject()) {
      for (Map.Entry<String, JsonNode> member : b.properties()) {
        JsonNode found = a.get(member.getKey());
        if (found == null || !contains(m, found, member.getValue())) {
          return false;
        }
      }
      return true;
    }
    if (a.isArray() && b.isArray()) {
      for (JsonNode sought : b) {
        boolean any = false;
        for (JsonNode element : a) {
          if (JqTypeSystem.type(element).equals(JqTypeSystem.type(sought))
              && contains(m, element, sought)) {
            any = true;
            break;
          }
        }
        if (!any) {
          return false;
        }
      }
      return true;
    }
    if (a.isTextual() && b.isTextual()) {
      m.tick(a.textValue().length() >>> 4);
      return a.textValue().contains(b.textValue());
    }
    if (JqTypeSystem.type(a).equals(JqTypeSystem.type(b))) {
      return JqTypeSystem.same(m, a, b);
    }
    throw new JqException(
        JqOperatorLibrary.shown(a)
            + " and "
            + JqOperatorLibrary.shown(b)
            + " cannot have their containment checked");
  }

  /** Sums in place, without a copy for each element. */
  private static JsonNode add(JqEvaluator m, JsonNode in, JsonNode[] a) {
    if (!in.isContainerNode()) {
      throw new JqException(
          "Cannot iterate over " + (in.isNull() ? "null" : JqOperatorLibrary.shown(in)));
    }
    boolean texts = !in.isEmpty();
    boolean arrays = texts;
    for (JsonNode element : in) {
      texts &= element.isTextual();
      arrays &= element.isArray();
    }
    if (texts) {
      StringBuilder out = new StringBuilder();
      for (JsonNode element : in) {
        m.charge(4L * element.textValue().length());
        out.append(element.textValue());
      }
      return JqTypeSystem.text(out.toString());
    }
    if (arrays) {
      ArrayNode sum = JqTypeSystem.array();
      for (JsonNode element : in) {
        m.charge((long) JqMemoryEstimator.ELEMENT * element.size());
        sum.addAll((ArrayNode) element);
      }
      return sum;
    }
    JsonNode sum = JqEvaluator.NULL;
    for (JsonNode element : in) {
      m.tick();
      sum = JqOperatorLibrary.plus(m, sum, element);
    }
    return sum;
  }

  private static JsonNode reverse(JqEvaluator m, JsonNode in, JsonNode[] a) {
    if (in.isTextual()) {
      m.charge(JqMemoryEstimator.text(in.textValue().length()));
      return JqTypeSystem.text(new StringBuilder(in.textValue()).reverse().toString());
    }
    if (in.isNull()) {
      return JqTypeSystem.array();
    }
    if (!in.isArray()) {
      throw new JqException("Cannot reverse " + JqOperatorLibrary.shown(in));
    }
    m.charge(JqMemoryEstimator.ARRAY + (long) JqMemoryEstimator.ELEMENT * in.size());
    ArrayNode out = JqTypeSystem.array(in.size());
    for (int i = in.size() - 1; i >= 0; i--) {
      out.add(in.get(i));
    }
    return out;
  }

  private static JsonNode unique(JqEvaluator m, JsonNode in, JsonNode[] a) {
    ArrayNode out = JqTypeSystem.array();
    JsonNode before = null;
    for (JsonNode element : JqTypeSystem.sorted(m, array(in, "sorted"))) {
      if (before == null || !JqTypeSystem.same(m, before, element)) {
        m.charge(JqMemoryEstimator.ELEMENT);
        out.add(element);
      }
      before = element;
    }
    return out;
  }

  private static JsonNode best(JqEvaluator m, JsonNode in, JsonNode keys, int sign) {
    array(in, "searched");
    JsonNode best = JqEvaluator.NULL;
    JsonNode key = null;
    for (int i = 0; i < in.size(); i++) {
      int order = key == null ? 1 : sign * JqTypeSystem.compare(m, keys.get(i), key);
      if (order > 0 || (order == 0 && sign > 0)) {
        best = in.get(i);
        key = keys.get(i);
      }
    }
    return best;
  }

  private record Keyed(JsonNode key, JsonNode value) {}

  private static List<Keyed> keyed(JqEvaluator m, JsonNode in, JsonNode keys) {
    m.charge((long) (JqMemoryEstimator.LINK + JqMemoryEstimator.ELEMENT) * in.size());
    List<Keyed> all = new ArrayList<>(in.size());
    for (int i = 0; i < in.size(); i++) {
      all.add(new Keyed(keys.get(i), in.get(i)));
    }
    JqTypeSystem.sort(m, all, (x, y) -> JqTypeSystem.compare(m, x.key(), y.key()));
    return all;
  }

  private static JsonNode sortBy(JqEvaluator m, JsonNode in, JsonNode keys) {
    return arrayOf(m, keyed(m, array(in, "sorted"), keys).stream().map(Keyed::value).toList());
  }

  private static JsonNode groupBy(JqEvaluator m, JsonNode in, JsonNode keys) {
    ArrayNode groups = JqTypeSystem.array();
    ArrayNode group = JqTypeSystem.array();
    JsonNode before = null;
    for (Keyed element : keyed(m, array(in, "grouped"), keys)) {
      if (before == null || !JqTypeSystem.same(m, before, element.key())) {
        m.charge(JqMemoryEstimator.ARRAY);
        group = JqTypeSystem.array();
        groups.add(group);
      }
      m.charge(JqMemoryEstimator.ELEMENT);
      group.add(element.value());
      before = element.key();
    }
    return groups;
  }

  private static JsonNode toEntries(JqEvaluator m, JsonNode in, JsonNode[] a) {
    if (!in.isObject()) {
      throw new JqException(JqOperatorLibrary.shown(in) + " has no keys");
    }
    m.charge((long) (JqMemoryEstimator.OBJECT + 2 * JqMemoryEstimator.MEMBER) * in.size());
    ArrayNode entries = JqTypeSystem.array(in.size());
    for (Map.Entry<String, JsonNode> member : in.properties()) {
      ObjectNode entry = JqTypeSystem.object();
      entry.put("key", member.getKey());
      entry.set("value", member.getValue());
      entries.add(entry);
    }
    return entries;
  }

  private static JsonNode fromEntries(JqEvaluator m, JsonNode in, JsonNode[] a) {
    if (!in.isContainerNode()) {
      throw new JqException("Cannot iterate over " + JqOperatorLibrary.shown(in));
    }
    ObjectNode object = JqTypeSystem.object();
    for (JsonNode entry : in) {
      m.charge(JqMemoryEstimator.MEMBER);
      if (!entry.isObject()) {
        throw new JqException(JqPathAccessor.cannotIndex(entry, JqTypeSystem.text("key")));
      }
      JsonNode key = firstTrue(entry, KEYS);
      String name =
          switch (key.getNodeType()) {
            case STRING -> key.textValue();
            case NUMBER, BOOLEAN -> JqJsonWriter.of(m, key);
            case NULL, MISSING -> "null";
            case ARRAY, OBJECT, BINARY, POJO ->
                throw new JqException(
                    "Cannot use " + JqOperatorLibrary.shown(key) + " as object key");
          };
      JsonNode value = JqEvaluator.NULL;
      for (String candidate : VALUES) {
        if (entry.has(candidate)) {
          value = entry.get(candidate);
          break;
        }
      }
      object.set(name, value);
    }
    return object;
  }

  private static JsonNode firstTrue(JsonNode entry, List<String> names) {
    JsonNode found = JqEvaluator.NULL;
    for (String name : names) {
      JsonNode value = entry.get(name);
      if (value != null && !value.isNull()) {
        if (JqTypeSystem.isTrue(value)) {
          return value;
        }
        found = value;
      }
    }
    return found;
  }

  private static int depth(JsonNode depth) {
    if (!depth.isNumber()) {
      throw new JqException("flatten depth must not be negative");
    }
    if (depth.doubleValue() < 0) {
      throw new JqException("flatten depth must not be negative");
    }
    return (int) Math.min(Integer.MAX_VALUE, depth.doubleValue());
  }

  private record Open(java.util.Iterator<JsonNode> rest, int depth) {}

  private static JsonNode flatten(JqEvaluator m, JsonNode in, int depth) {
    if (!in.isContainerNode()) {
      throw new JqException("Cannot iterate over " + JqOperatorLibrary.shown(in));
    }
    ArrayNode out = JqTypeSystem.array();
    ArrayDeque<Open> open = new ArrayDeque<>();
    open.push(new Open(in.iterator(), depth));
    while (!open.isEmpty()) {
      Open top = open.element();
      if (!top.rest().hasNext()) {
        open.pop();
        continue;
      }
      JsonNode next = top.rest().next();
      m.charge(JqMemoryEstimator.ELEMENT);
      if (next.isArray() && top.depth() > 0) {
        open.push(new Open(next.iterator(), top.depth() - 1));
      } else {
        out.add(next);
      }
    }
    return out;
  }

  private static JsonNode transpose(JqEvaluator m, JsonNode in, JsonNode[] a) {
    int width = 0;
    for (JsonNode row : array(in, "transposed")) {
      width = Math.max(width, array(row, "transposed").size());
    }
    ArrayNode out = JqTypeSystem.array(width);
    for (int i = 0; i < width; i++) {
      m.charge(JqMemoryEstimator.ARRAY + (long) JqMemoryEstimator.ELEMENT * in.size());
      ArrayNode column = JqTypeSystem.array(in.size());
      for (JsonNode row : in) {
        JsonNode element = row.get(i);
        column.add(element == null ? JqEvaluator.NULL : element);
      }
      out.add(column);
    }
    return out;
  }

  private static JsonNode search(JqEvaluator m, JsonNode in, JsonNode[] a) {
    if (!in.isArray()) {
      throw new JqException(JqOperatorLibrary.shown(in) + " cannot be searched from");
    }
    int low = 0;
    int high = in.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = JqTypeSystem.compare(m, in.get(middle), a[0]);
      if (order == 0) {
        return JqArithmetic.of(middle);
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return JqArithmetic.of(-1 - low);
  }
}
