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

/** Functions of arrays, objects and all values. */
final class CollectionFunctions {
  private static final List<String> KEYS = List.of("key", "k", "name", "Name", "K", "Key");
  private static final List<String> VALUES = List.of("value", "v", "Value", "V");

  private CollectionFunctions() {}

  static void addTo(Map<String, Apply.Function> all) {
    all.put("not/0", (m, in, a) -> Values.bool(!Values.isTrue(in)));
    all.put("type/0", (m, in, a) -> Values.text(Values.type(in)));
    all.put("length/0", (m, in, a) -> length(in));
    all.put("keys/0", (m, in, a) -> keys(m, in, true));
    all.put("keys_unsorted/0", (m, in, a) -> keys(m, in, false));
    all.put("has/1", (m, in, a) -> has(in, a[0]));
    all.put("contains/1", (m, in, a) -> Values.bool(contains(m, in, a[0])));
    all.put("add/0", CollectionFunctions::add);
    all.put("reverse/0", CollectionFunctions::reverse);
    all.put("sort/0", (m, in, a) -> arrayOf(m, Values.sorted(m, array(in, "sorted"))));
    all.put("unique/0", CollectionFunctions::unique);
    all.put("min/0", (m, in, a) -> best(m, in, in, -1));
    all.put("max/0", (m, in, a) -> best(m, in, in, 1));
    all.put("_min_by/1", (m, in, a) -> best(m, in, a[0], -1));
    all.put("_max_by/1", (m, in, a) -> best(m, in, a[0], 1));
    all.put("_sort_by/1", (m, in, a) -> sortBy(m, in, a[0]));
    all.put("_group_by/1", (m, in, a) -> groupBy(m, in, a[0]));
    all.put("to_entries/0", CollectionFunctions::toEntries);
    all.put("from_entries/0", CollectionFunctions::fromEntries);
    all.put("flatten/0", (m, in, a) -> flatten(m, in, Integer.MAX_VALUE));
    all.put("flatten/1", (m, in, a) -> flatten(m, in, depth(a[0])));
    all.put("transpose/0", CollectionFunctions::transpose);
    all.put("toarray/0", (m, in, a) -> in.isArray() ? in : Values.array(1).add(in));
    all.put("setpath/2", (m, in, a) -> PathValues.setPath(m, in, a[0], a[1]));
    all.put("delpaths/1", (m, in, a) -> PathValues.deletePaths(m, in, a[0]));
    all.put("_set/2", change((m, before, v) -> v));
    all.put("_plus/2", change(Operators::plus));
    all.put("_minus/2", change(Operators::minus));
    all.put("_times/2", change(Operators::times));
    all.put("_divide/2", change(Operators::divide));
    all.put("_modulo/2", change((m, before, v) -> Operators.modulo(before, v)));
    all.put("_alternative/2", change((m, before, v) -> Values.isTrue(before) ? before : v));
    all.put("bsearch/1", CollectionFunctions::search);
    all.put("have_literal_numbers/0", (m, in, a) -> Values.bool(true));
    all.put("have_decnum/0", (m, in, a) -> Values.bool(true));
  }

  private static Apply.Function change(PathValues.Change change) {
    return (m, in, a) -> PathValues.changeAll(m, in, a[0], a[1], change);
  }

  private static JsonNode array(JsonNode in, String what) {
    if (!in.isArray()) {
      throw new JqError(Operators.shown(in) + " cannot be " + what + ", as it is not an array");
    }
    return in;
  }

  private static JsonNode arrayOf(Machine m, List<JsonNode> elements) {
    m.charge(LiveBytes.ARRAY + (long) LiveBytes.ELEMENT * elements.size());
    return Values.array(elements.size()).addAll(elements);
  }

  private static JsonNode length(JsonNode in) {
    return switch (in.getNodeType()) {
      case NULL, MISSING -> Numbers.of(0);
      case NUMBER -> in.doubleValue() < 0 ? Numbers.negate(in) : in;
      case STRING, BINARY -> Numbers.of(Values.length(in.textValue()));
      case ARRAY, OBJECT, POJO -> Numbers.of(in.size());
      case BOOLEAN -> throw new JqError(Operators.shown(in) + " has no length");
    };
  }

  private static JsonNode keys(Machine m, JsonNode in, boolean sorted) {
    if (!in.isContainerNode()) {
      throw new JqError(Operators.shown(in) + " has no keys");
    }
    m.charge(LiveBytes.ARRAY + (long) (LiveBytes.ELEMENT + LiveBytes.TEXT) * in.size());
    ArrayNode keys = Values.array(in.size());
    if (in.isArray()) {
      for (int i = 0; i < in.size(); i++) {
        keys.add(Numbers.of(i));
      }
    } else if (sorted) {
      Values.sortedNames(m, in).forEach(keys::add);
    } else {
      in.fieldNames().forEachRemaining(keys::add);
    }
    return keys;
  }

  private static JsonNode has(JsonNode in, JsonNode key) {
    if (in.isObject() && key.isTextual()) {
      return Values.bool(in.has(key.textValue()));
    }
    if (in.isArray() && key.isNumber()) {
      return Values.bool(key.doubleValue() >= 0 && key.doubleValue() < in.size());
    }
    throw new JqError(
        "Cannot check whether "
            + Values.type(in)
            + " has a "
            + (key.isTextual() ? "string" : Values.type(key))
            + " key");
  }

  private static boolean contains(Machine m, JsonNode a, JsonNode b) {
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
          if (Values.type(element).equals(Values.type(sought)) && contains(m, element, sought)) {
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
    if (Values.type(a).equals(Values.type(b))) {
      return Values.same(m, a, b);
    }
    throw new JqError(
        Operators.shown(a)
            + " and "
            + Operators.shown(b)
            + " cannot have their containment checked");
  }

  /** Sums without a copy for each element. */
  private static JsonNode add(Machine m, JsonNode in, JsonNode[] a) {
    if (!in.isContainerNode()) {
      throw new JqError("Cannot iterate over " + (in.isNull() ? "null" : Operators.shown(in)));
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
      return Values.text(out.toString());
    }
    if (arrays) {
      ArrayNode sum = Values.array();
      for (JsonNode element : in) {
        m.charge((long) LiveBytes.ELEMENT * element.size());
        sum.addAll((ArrayNode) element);
      }
      return sum;
    }
    JsonNode sum = Machine.NULL;
    for (JsonNode element : in) {
      m.tick();
      sum = Operators.plus(m, sum, element);
    }
    return sum;
  }

  private static JsonNode reverse(Machine m, JsonNode in, JsonNode[] a) {
    if (in.isTextual()) {
      m.charge(LiveBytes.text(in.textValue().length()));
      return Values.text(new StringBuilder(in.textValue()).reverse().toString());
    }
    if (in.isNull()) {
      return Values.array();
    }
    if (!in.isArray()) {
      throw new JqError("Cannot reverse " + Operators.shown(in));
    }
    m.charge(LiveBytes.ARRAY + (long) LiveBytes.ELEMENT * in.size());
    ArrayNode out = Values.array(in.size());
    for (int i = in.size() - 1; i >= 0; i--) {
      out.add(in.get(i));
    }
    return out;
  }

  private static JsonNode unique(Machine m, JsonNode in, JsonNode[] a) {
    ArrayNode out = Values.array();
    JsonNode before = null;
    for (JsonNode element : Values.sorted(m, array(in, "sorted"))) {
      if (before == null || !Values.same(m, before, element)) {
        m.charge(LiveBytes.ELEMENT);
        out.add(element);
      }
      before = element;
    }
    return out;
  }

  private static JsonNode best(Machine m, JsonNode in, JsonNode keys, int sign) {
    array(in, "searched");
    JsonNode best = Machine.NULL;
    JsonNode key = null;
    for (int i = 0; i < in.size(); i++) {
      int order = key == null ? 1 : sign * Values.compare(m, keys.get(i), key);
      if (order > 0 || (order == 0 && sign > 0)) {
        best = in.get(i);
        key = keys.get(i);
      }
    }
    return best;
  }

  private record Keyed(JsonNode key, JsonNode value) {}

  private static List<Keyed> keyed(Machine m, JsonNode in, JsonNode keys) {
    m.charge((long) (LiveBytes.LINK + LiveBytes.ELEMENT) * in.size());
    List<Keyed> all = new ArrayList<>(in.size());
    for (int i = 0; i < in.size(); i++) {
      all.add(new Keyed(keys.get(i), in.get(i)));
    }
    Values.sort(m, all, (x, y) -> Values.compare(m, x.key(), y.key()));
    return all;
  }

  private static JsonNode sortBy(Machine m, JsonNode in, JsonNode keys) {
    return arrayOf(m, keyed(m, array(in, "sorted"), keys).stream().map(Keyed::value).toList());
  }

  private static JsonNode groupBy(Machine m, JsonNode in, JsonNode keys) {
    ArrayNode groups = Values.array();
    ArrayNode group = Values.array();
    JsonNode before = null;
    for (Keyed element : keyed(m, array(in, "grouped"), keys)) {
      if (before == null || !Values.same(m, before, element.key())) {
        m.charge(LiveBytes.ARRAY);
        group = Values.array();
        groups.add(group);
      }
      m.charge(LiveBytes.ELEMENT);
      group.add(element.value());
      before = element.key();
    }
    return groups;
  }

  private static JsonNode toEntries(Machine m, JsonNode in, JsonNode[] a) {
    if (!in.isObject()) {
      throw new JqError(Operators.shown(in) + " has no keys");
    }
    m.charge((long) (LiveBytes.OBJECT + 2 * LiveBytes.MEMBER) * in.size());
    ArrayNode entries = Values.array(in.size());
    for (Map.Entry<String, JsonNode> member : in.properties()) {
      ObjectNode entry = Values.object();
      entry.put("key", member.getKey());
      entry.set("value", member.getValue());
      entries.add(entry);
    }
    return entries;
  }

  private static JsonNode fromEntries(Machine m, JsonNode in, JsonNode[] a) {
    if (!in.isContainerNode()) {
      throw new JqError("Cannot iterate over " + Operators.shown(in));
    }
    ObjectNode object = Values.object();
    for (JsonNode entry : in) {
      m.charge(LiveBytes.MEMBER);
      if (!entry.isObject()) {
        throw new JqError(PathValues.cannotIndex(entry, Values.text("key")));
      }
      JsonNode key = firstTrue(entry, KEYS);
      String name =
          switch (key.getNodeType()) {
            case STRING -> key.textValue();
            case NUMBER, BOOLEAN -> JsonText.of(m, key);
            case NULL, MISSING -> "null";
            case ARRAY, OBJECT, BINARY, POJO ->
                throw new JqError("Cannot use " + Operators.shown(key) + " as object key");
          };
      JsonNode value = Machine.NULL;
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
    JsonNode found = Machine.NULL;
    for (String name : names) {
      JsonNode value = entry.get(name);
      if (value != null && !value.isNull()) {
        if (Values.isTrue(value)) {
          return value;
        }
        found = value;
      }
    }
    return found;
  }

  private static int depth(JsonNode depth) {
    if (!depth.isNumber()) {
      throw new JqError("flatten depth must not be negative");
    }
    if (depth.doubleValue() < 0) {
      throw new JqError("flatten depth must not be negative");
    }
    return (int) Math.min(Integer.MAX_VALUE, depth.doubleValue());
  }

  private record Open(java.util.Iterator<JsonNode> rest, int depth) {}

  private static JsonNode flatten(Machine m, JsonNode in, int depth) {
    if (!in.isContainerNode()) {
      throw new JqError("Cannot iterate over " + Operators.shown(in));
    }
    ArrayNode out = Values.array();
    ArrayDeque<Open> open = new ArrayDeque<>();
    open.push(new Open(in.iterator(), depth));
    while (!open.isEmpty()) {
      Open top = open.element();
      if (!top.rest().hasNext()) {
        open.pop();
        continue;
      }
      JsonNode next = top.rest().next();
      m.charge(LiveBytes.ELEMENT);
      if (next.isArray() && top.depth() > 0) {
        open.push(new Open(next.iterator(), top.depth() - 1));
      } else {
        out.add(next);
      }
    }
    return out;
  }

  private static JsonNode transpose(Machine m, JsonNode in, JsonNode[] a) {
    int width = 0;
    for (JsonNode row : array(in, "transposed")) {
      width = Math.max(width, array(row, "transposed").size());
    }
    ArrayNode out = Values.array(width);
    for (int i = 0; i < width; i++) {
      m.charge(LiveBytes.ARRAY + (long) LiveBytes.ELEMENT * in.size());
      ArrayNode column = Values.array(in.size());
      for (JsonNode row : in) {
        JsonNode element = row.get(i);
        column.add(element == null ? Machine.NULL : element);
      }
      out.add(column);
    }
    return out;
  }

  private static JsonNode search(Machine m, JsonNode in, JsonNode[] a) {
    if (!in.isArray()) {
      throw new JqError(Operators.shown(in) + " cannot be searched from");
    }
    int low = 0;
    int high = in.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = Values.compare(m, in.get(middle), a[0]);
      if (order == 0) {
        return Numbers.of(middle);
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return Numbers.of(-1 - low);
  }
}
