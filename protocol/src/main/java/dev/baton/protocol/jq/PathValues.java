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
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Reads, sets and deletes what a key or a path leads to. */
final class PathValues {
  private static final int MAX_INDEX = 536_870_911;

  private PathValues() {}

  /** {@code in[key]}; null where there is none. */
  static JsonNode get(Machine m, JsonNode in, JsonNode key) {
    if (key.isTextual() && (in.isObject() || in.isNull())) {
      JsonNode found = in.get(key.textValue());
      return found == null ? Machine.NULL : found;
    }
    if (key.isNumber() && (in.isArray() || in.isNull())) {
      double index = Math.floor(key.doubleValue());
      if (index < 0) {
        index += in.size();
      }
      JsonNode found = index >= 0 && index < in.size() ? in.get((int) index) : null;
      return found == null ? Machine.NULL : found;
    }
    if (key.isObject() && (in.isArray() || in.isTextual() || in.isNull())) {
      return in.isNull() ? in : slice(m, in, key);
    }
    if (key.isArray() && in.isArray()) {
      return indices(m, in, key);
    }
    if (key.isNull() && in.isNull()) {
      return in;
    }
    throw new JqError(cannotIndex(in, key));
  }

  static String cannotIndex(JsonNode in, JsonNode key) {
    return "Cannot index "
        + Values.type(in)
        + " with "
        + (key.isTextual()
            ? (in.isObject() ? "" : "string ") + JsonText.shortened(key, Access.SHOWN)
            : Values.type(key));
  }

  record Range(int from, int to) {}

  static Range range(JsonNode key, int length) {
    JsonNode from = key.path("start");
    JsonNode to = key.path("end");
    boolean open = from.isNull() || from.isMissingNode();
    boolean endless = to.isNull() || to.isMissingNode();
    if (!(open || from.isNumber()) || !(endless || to.isNumber())) {
      throw new JqError("Start and end indices of an array slice must be numbers");
    }
    double start = open ? 0 : from.doubleValue();
    double end = endless || Double.isNaN(to.doubleValue()) ? length : to.doubleValue();
    start = Math.floor(clamp(start < 0 ? start + length : start, length));
    end = Math.ceil(clamp(end < 0 ? end + length : end, length));
    return new Range((int) start, (int) Math.max(start, end));
  }

  private static double clamp(double value, int length) {
    return Double.isNaN(value) ? 0 : Math.clamp(value, 0, length);
  }

  static JsonNode slice(Machine m, JsonNode in, JsonNode key) {
    if (in.isTextual()) {
      String text = in.textValue();
      Range range = range(key, Values.length(text));
      m.tick(text.length() >>> 6);
      int from = Values.offset(text, range.from());
      int to = from + Values.offset(text.substring(from), range.to() - range.from());
      m.charge(LiveBytes.text((long) to - from));
      return Values.text(text.substring(from, to));
    }
    Range range = range(key, in.size());
    m.charge(LiveBytes.ARRAY + (long) LiveBytes.ELEMENT * (range.to() - range.from()));
    ArrayNode part = Values.array(range.to() - range.from());
    for (int i = range.from(); i < range.to(); i++) {
      part.add(in.get(i));
    }
    return part;
  }

  /** Where an array begins within another. */
  static JsonNode indices(Machine m, JsonNode in, JsonNode part) {
    ArrayNode found = Values.array();
    if (part.isEmpty()) {
      return Machine.NULL;
    }
    for (int i = 0; i + part.size() <= in.size(); i++) {
      m.tick();
      boolean same = true;
      for (int j = 0; j < part.size() && same; j++) {
        same = Values.same(m, in.get(i + j), part.get(j));
      }
      if (same) {
        m.charge(LiveBytes.ELEMENT + LiveBytes.SCALAR);
        found.add(Numbers.of(i));
      }
    }
    return found;
  }

  static JsonNode getPath(Machine m, JsonNode in, JsonNode keys) {
    if (!keys.isArray()) {
      throw new JqError("Path must be specified as an array");
    }
    JsonNode at = in;
    for (JsonNode key : keys) {
      m.tick();
      if (at.isNull()) {
        return at;
      }
      at = get(m, at, key);
    }
    return at;
  }

  static JsonNode setPath(Machine m, JsonNode in, JsonNode keys, JsonNode value) {
    if (!keys.isArray()) {
      throw new JqError("Path must be specified as an array");
    }
    // Not recursive: a path may be as long as memory allows.
    List<JsonNode> holders = new ArrayList<>();
    JsonNode at = in;
    for (JsonNode key : keys) {
      m.charge(LiveBytes.ELEMENT);
      holders.add(at);
      at = get(m, at, key);
    }
    JsonNode changed = value;
    for (int i = keys.size() - 1; i >= 0; i--) {
      changed = set(m, holders.get(i), keys.get(i), changed);
    }
    return changed;
  }

  /** What an assignment makes of the value at a path. */
  interface Change {
    JsonNode of(Machine m, JsonNode before, JsonNode operand);
  }

  /** Changes the values at many paths, one after the other; each container is copied once. */
  static JsonNode changeAll(
      Machine m, JsonNode in, JsonNode paths, JsonNode operand, Change change) {
    Set<JsonNode> copies = Collections.newSetFromMap(new IdentityHashMap<>());
    JsonNode root = in;
    for (JsonNode path : paths) {
      JsonNode value = change.of(m, getPath(m, root, path), operand);
      root = setOwned(m, copies, root, path, value);
    }
    return root;
  }

  private static JsonNode setOwned(
      Machine m, Set<JsonNode> copies, JsonNode root, JsonNode path, JsonNode value) {
    List<JsonNode> holders = new ArrayList<>();
    JsonNode at = root;
    for (JsonNode key : path) {
      m.charge(LiveBytes.ELEMENT);
      holders.add(at);
      at = get(m, at, key);
    }
    JsonNode changed = value;
    for (int i = path.size() - 1; i >= 0; i--) {
      JsonNode holder = holders.get(i);
      JsonNode key = path.get(i);
      if (copies.contains(holder) && holder instanceof ObjectNode object && key.isTextual()) {
        m.charge(LiveBytes.MEMBER);
        object.set(key.textValue(), changed);
        changed = object;
      } else if (copies.contains(holder)
          && holder instanceof ArrayNode array
          && key.isInt()
          && array.has(key.intValue())) {
        array.set(key.intValue(), changed);
        changed = array;
      } else {
        changed = set(m, holder, key, changed);
        copies.add(changed);
      }
    }
    return changed;
  }

  static JsonNode set(Machine m, JsonNode in, JsonNode key, JsonNode value) {
    if (key.isTextual() && (in.isObject() || in.isNull())) {
      ObjectNode copy = in instanceof ObjectNode object ? Values.copy(m, object) : Values.object();
      m.charge(LiveBytes.MEMBER + 2L * key.textValue().length());
      return copy.set(key.textValue(), value);
    }
    if (key.isNumber() && (in.isArray() || in.isNull())) {
      return setElement(m, in, key.doubleValue(), value);
    }
    if (key.isObject() && (in.isArray() || in.isNull())) {
      if (!value.isArray()) {
        throw new JqError("A slice of an array can only be assigned another array");
      }
      Range range = range(key, in.size());
      m.charge(LiveBytes.ARRAY + (long) LiveBytes.ELEMENT * (in.size() + value.size()));
      ArrayNode all = Values.array(in.size() + value.size());
      for (int i = 0; i < range.from(); i++) {
        all.add(in.get(i));
      }
      value.forEach(all::add);
      for (int i = range.to(); i < in.size(); i++) {
        all.add(in.get(i));
      }
      return all;
    }
    if (key.isObject() && in.isTextual()) {
      throw new JqError("Cannot update string slices");
    }
    if (key.isObject()) {
      throw new JqError("Cannot update field at object index of " + Values.type(in));
    }
    if (key.isArray() && in.isArray()) {
      throw new JqError("Cannot update field at array index of array");
    }
    throw new JqError(cannotIndex(in, key));
  }

  private static JsonNode setElement(Machine m, JsonNode in, double key, JsonNode value) {
    double index = Math.floor(key);
    if (Double.isNaN(index)) {
      throw new JqError("Cannot set array element at NaN index");
    }
    if (index < 0) {
      index += in.size();
      if (index < 0) {
        throw new JqError("Out of bounds negative array index");
      }
    }
    if (index > MAX_INDEX) {
      throw new JqError("Array index too large");
    }
    int at = (int) index;
    m.charge((long) LiveBytes.ELEMENT * Math.max(0, at - in.size()));
    ArrayNode copy = in instanceof ArrayNode array ? Values.copy(m, array) : Values.array();
    while (copy.size() <= at) {
      copy.addNull();
    }
    copy.set(at, value);
    return copy;
  }

  static JsonNode deletePaths(Machine m, JsonNode in, JsonNode paths) {
    if (!paths.isArray()) {
      throw new JqError("Paths must be specified as an array");
    }
    for (JsonNode path : paths) {
      if (!path.isArray()) {
        throw new JqError("Path must be specified as an array");
      }
    }
    List<JsonNode> sorted = Values.sorted(m, paths);
    if (sorted.isEmpty()) {
      return in;
    }
    return sorted.getFirst().isEmpty() ? Machine.NULL : delete(m, in, sorted, 0);
  }

  /** Deletes paths that are sorted and share their keys up to a depth. */
  private static JsonNode delete(Machine m, JsonNode in, List<JsonNode> paths, int depth) {
    JsonNode at = in;
    List<JsonNode> here = new ArrayList<>();
    int to = paths.size();
    while (to > 0) {
      JsonNode key = paths.get(to - 1).get(depth);
      int from = to;
      boolean whole = false;
      while (from > 0 && Values.same(m, paths.get(from - 1).get(depth), key)) {
        from--;
        whole |= paths.get(from).size() == depth + 1;
      }
      if (whole) {
        here.add(key);
      } else {
        JsonNode inner = at.isNull() ? at : get(m, at, key);
        if (!inner.isNull()) {
          at = set(m, at, key, delete(m, inner, paths.subList(from, to), depth + 1));
        }
      }
      to = from;
    }
    return here.isEmpty() ? at : deleteKeys(m, at, here);
  }

  private static JsonNode deleteKeys(Machine m, JsonNode in, List<JsonNode> keys) {
    if (in.isNull()) {
      return in;
    }
    if (in instanceof ObjectNode object) {
      ObjectNode copy = Values.copy(m, object);
      for (JsonNode key : keys) {
        if (!key.isTextual()) {
          throw new JqError("Cannot delete field at " + kind(key) + " index of object");
        }
        copy.remove(key.textValue());
      }
      return copy;
    }
    if (!(in instanceof ArrayNode array)) {
      throw new JqError("Cannot delete fields from " + Values.type(in));
    }
    BitSet gone = new BitSet(array.size());
    for (JsonNode key : keys) {
      if (key.isNumber()) {
        double index = Math.floor(key.doubleValue());
        index = index < 0 ? index + array.size() : index;
        if (index >= 0 && index < array.size()) {
          gone.set((int) index);
        }
      } else if (key.isObject()) {
        Range range = range(key, array.size());
        gone.set(range.from(), range.to());
      } else {
        throw new JqError("Cannot delete field at " + kind(key) + " index of array");
      }
    }
    m.charge(LiveBytes.ARRAY + (long) LiveBytes.ELEMENT * array.size());
    ArrayNode left = Values.array(array.size());
    for (int i = 0; i < array.size(); i++) {
      if (!gone.get(i)) {
        left.add(array.get(i));
      }
    }
    return left;
  }

  private static String kind(JsonNode key) {
    return key.isTextual() || key.isObject() ? "object" : "array";
  }
}
