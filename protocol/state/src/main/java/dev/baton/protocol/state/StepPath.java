/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Builds and parses paths of steps: {@code id} on the main line, {@code <parallel
 * path>/<branch>/<id>} inside a parallel step.
 */
public final class StepPath {
  public static final String MAIN = "";

  private StepPath() {}

  /**
   * Returns the branch of a step: {@code figures/0} for {@code figures/0/count}, empty for {@code
   * clone}.
   */
  public static String branchOf(String step) {
    int slash = step.lastIndexOf('/');
    return slash < 0 ? MAIN : step.substring(0, slash);
  }

  /** Returns the path of the step with this id on this branch. */
  public static String of(String branch, String id) {
    return branch.isEmpty() ? id : branch + "/" + id;
  }

  /** Returns the step's id without its branch. */
  public static String idOf(String step) {
    return step.substring(step.lastIndexOf('/') + 1);
  }

  /** Returns the path of a parallel step's branch with this name. */
  public static String branch(String parallel, String name) {
    return parallel + "/" + name;
  }

  /** Whether the branch {@code inner} is {@code outer} itself or is inside it. */
  public static boolean isWithin(String inner, String outer) {
    return outer.isEmpty() || inner.equals(outer) || inner.startsWith(outer + "/");
  }

  /** Returns a view of the map's entries for the branches inside a step or a branch. */
  static <V> SortedMap<String, V> under(TreeMap<String, V> map, String path) {
    // '0' is the character after '/'.
    return path.isEmpty() ? map.tailMap("", false) : map.subMap(path + "/", path + "0");
  }
}
