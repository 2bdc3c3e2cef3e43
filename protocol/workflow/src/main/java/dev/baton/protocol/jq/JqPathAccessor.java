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

/** Reads, sets and deletes values by a key or a path. */
final class JqPathAccessor {
  private static final int MAX_INDEX = 536_870_911;

  private JqPathAccessor() {}

  /** Returns {@code in[key]}; null where it does not exist. */
  static JsonNode get(JqEvaluator m, JsonNode in, JsonNode key) {
    if (key.isTextual() && (in.isObject() || in.isNull())) {
      JsonNode found = in.get(key.textValue());
      return found == null ? JqEvaluator.NULL : found;
    }
    if (key.isNumber() && (in.isArray() || in.isNull())) {
      double index = Math.floor(key.doubleValue());
      if (index < 0) {
        index += in.size();
      }
      JsonNode found = index >= 0 && index < in.size() ? in.get((int) index) : null;
      return found == null ? JqEvaluator.NULL : found;
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
    throw new JqException(cannotIndex(in, key));
  }

  static String cannotIndex(JsonNode in, JsonNode key) {
    return "Cannot index "
        + JqTypeSystem.type(in)
        + " with "
        + (key.isTextual()
            ? (in.isObject() ? "" : "string ") + JqJsonWriter.shortened(key, JqAccessFilter.SHOWN)
            : JqTypeSystem.type(key));
  }

  record Range(int from, int to) {}

  static Range range(JsonNode key, int length) {
    JsonNode from = key.path("start");
    JsonNode to = key.path("end");
    boolean open = from.isNull() || from.isMissingNode();
    boolean endless = to.isNull() || to.isMissingNode();
    if (!(open || from.isNumber()) || !(endless || to.isNumber())) {
      throw new JqException("Start and end indices of an array slice must be numbers");
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

  static JsonNode slice(JqEvaluator m, JsonNode in, JsonNode key) {
    if (in.isTextual()) {
      String text = in.textValue();
      Range range = range(key, JqTypeSystem.length(text));
      m.tick(text.length() >>> 6);
      int from = JqTypeSystem.offset(text, range.from());
      int to = from + JqTypeSystem.offset(text.substring(from), range.to() - range.from());
      m.charge(JqMemoryEstimator.text((long) to - from));
      return JqTypeSystem.text(text.substring(from, to));
    }
    Range range = range(key, in.size());
    m.charge(
        JqMemoryEstimator.ARRAY + (long) JqMemoryEstimator.ELEMENT * (range.to() - range.from()));
    ArrayNode part = JqTypeSystem.array(range.to() - range.from());
    for (int i = range.from(); i < range.to(); i++) {
      part.add(in.get(i));
    }
    return part;
  }

  /** Returns the positions of an array within another. */
  static JsonNode indices(JqEvaluator m, JsonNode in, JsonNode part) {
    ArrayNode found = JqTypeSystem.array();
    if (part.isEmpty()) {
      return JqEvaluator.NULL;
    }
    for (int i = 0; i + part.size() <= in.size(); i++) {
      m.tick();
      boolean same = true;
      for (int j = 0; j < part.size() && same; j++) {
        same = JqTypeSystem.same(m, in.get(i + j), part.get(j));
      }
      if (same) {
        m.charge(JqMemoryEstimator.ELEMENT + JqMemoryEstimator.SCALAR);
        found.add(JqArithmetic.of(i));
      }
    }
    return found;
  }

  static JsonNode getPath(JqEvaluator m, JsonNode in, JsonNode keys) {
    if (!keys.isArray()) {
      throw new JqException("Path must be specified as an array");
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

  static JsonNode setPath(JqEvaluator m, JsonNode in, JsonNode keys, JsonNode value) {
    if (!keys.isArray()) {
      throw new JqException("Path must be specified as an array");
    }
    // Iterative, since a path may be as long as memory allows.
    List<JsonNode> holders = new ArrayList<>();
    JsonNode at = in;
    for (JsonNode key : keys) {
      m.charge(JqMemoryEstimator.ELEMENT);
      holders.add(at);
      at = get(m, at, key);
    }
    JsonNode changed = value;
    for (int i = keys.size() - 1; i >= 0; i--) {
      changed = set(m, holders.get(i), keys.get(i), changed);
    }
    return changed;
  }

  /** Computes the new value at a path for an assignment. */
  interface Change {
    JsonNode of(JqEvaluator m, JsonNode before, JsonNode operand);
  }

  /** Changes the values at many paths in order; copies each container once. */
  static JsonNode changeAll(
      JqEvaluator m, JsonNode in, JsonNode paths, JsonNode operand, Change change) {
    Set<JsonNode> copies = Collections.newSetFromMap(new IdentityHashMap<>());
    JsonNode root = in;
    for (JsonNode path : paths) {
      JsonNode value = change.of(m, getPath(m, root, path), operand);
      root = setOwned(m, copies, root, path, value);
    }
    return root;
  }

  private static JsonNode setOwned(
      JqEvaluator m, Set<JsonNode> copies, JsonNode root, JsonNode path, JsonNode value) {
    List<JsonNode> holders = new ArrayList<>();
    JsonNode at = root;
    for (JsonNode key : path) {
      m.charge(JqMemoryEstimator.ELEMENT);
      holders.add(at);
      at = get(m, at, key);
    }
    JsonNode changed = value;
    for (int i = path.size() - 1; i >= 0; i--) {
      JsonNode holder = holders.get(i);
      JsonNode key = path.get(i);
      if (copies.contains(holder) && holder instanceof ObjectNode object && key.isTextual()) {
        m.charge(JqMemoryEstimator.MEMBER);
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

  static JsonNode set(JqEvaluator m, JsonNode in, JsonNode key, JsonNode value) {
    if (key.isTextual() && (in.isObject() || in.isNull())) {
      ObjectNode copy =
          in instanceof ObjectNode object ? JqTypeSystem.copy(m, object) : JqTypeSystem.object();
      m.charge(JqMemoryEstimator.MEMBER + 2L * key.textValue().length());
      return copy.set(key.textValue(), value);
    }
    if (key.isNumber() && (in.isArray() || in.isNull())) {
      return setElement(m, in, key.doubleValue(), value);
    }
    if (key.isObject() && (in.isArray() || in.isNull())) {
      if (!value.isArray()) {
        throw new JqException("A slice of an array can only be assigned another array");
      }
      Range range = range(key, in.size());
      m.charge(
          JqMemoryEstimator.ARRAY + (long) JqMemoryEstimator.ELEMENT * (in.size() + value.size()));
      ArrayNode all = JqTypeSystem.array(in.size() + value.size());
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
      throw new JqException("Cannot update string slices");
    }
    if (key.isObject()) {
      throw new JqException("Cannot update field at object index of " + JqTypeSystem.type(in));
    }
    if (key.isArray() && in.isArray()) {
      throw new JqException("Cannot update field at array index of array");
    }
    throw new JqException(cannotIndex(in, key));
  }

  private static JsonNode setElement(JqEvaluator m, JsonNode in, double key, JsonNode value) {
    double index = Math.floor(key);
    if (Double.isNaN(index)) {
      throw new JqException("Cannot set array element at NaN index");
    }
    if (index < 0) {
      index += in.size();
      if (index < 0) {
        throw new JqException("Out of bounds negative array index");
      }
    }
    if (index > MAX_INDEX) {
      throw new JqException("Array index too large");
    }
    int at = (int) index;
    m.charge((long) JqMemoryEstimator.ELEMENT * Math.max(0, at - in.size()));
    ArrayNode copy =
        in instanceof ArrayNode array ? JqTypeSystem.copy(m, array) : JqTypeSystem.array();
    while (copy.size() <= at) {
      copy.addNull();
    }
    copy.set(at, value);
    return copy;
  }

  static JsonNode deletePaths(JqEvaluator m, JsonNode in, JsonNode paths) {
    if (!paths.isArray()) {
      throw new JqException("Paths must be specified as an array");
    }
    for (JsonNode path : paths) {
      if (!path.isArray()) {
        throw new JqException("Path must be specified as an array");
      }
    }
    List<JsonNode> sorted = JqTypeSystem.sorted(m, paths);
    if (sorted.isEmpty()) {
      return in;
    }
    return sorted.getFirst().isEmpty() ? JqEvaluator.NULL : delete(m, in, sorted, 0);
  }

  /** Deletes sorted paths that share their keys up to a depth. */
  private static JsonNode delete(JqEvaluator m, JsonNode in, List<JsonNode> paths, int depth) {
    JsonNode at = in;
    List<JsonNode> here = new ArrayList<>();
    int to = paths.size();
    while (to > 0) {
      JsonNode key = paths.get(to - 1).get(depth);
      int from = to;
      boolean whole = false;
      while (from > 0 && JqTypeSystem.same(m, paths.get(from - 1).get(depth), key)) {
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

  private static JsonNode deleteKeys(JqEvaluator m, JsonNode in, List<JsonNode> keys) {
    if (in.isNull()) {
      return in;
    }
    if (in instanceof ObjectNode object) {
      ObjectNode copy = JqTypeSystem.copy(m, object);
      for (JsonNode key : keys) {
        if (!key.isTextual()) {
          throw new JqException("Cannot delete field at " + kind(key) + " index of object");
        }
        copy.remove(key.textValue());
      }
      return copy;
    }
    if (!(in instanceof ArrayNode array)) {
      throw new JqException("Cannot delete fields from " + JqTypeSystem.type(in));
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
        throw new JqException("Cannot delete field at " + kind(key) + " index of array");
      }
    }
    m.charge(JqMemoryEstimator.ARRAY + (long) JqMemoryEstimator.ELEMENT * array.size());
    ArrayNode left = JqTypeSystem.array(array.size());
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
