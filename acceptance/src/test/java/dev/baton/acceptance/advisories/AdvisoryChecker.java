/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.advisories;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Compares libraries with advisories. */
final class AdvisoryChecker {
  private AdvisoryChecker() {}

  /**
   * Returns a line for each library with an advisory and without an exception that has not expired,
   * and for each exception that nothing needs; empty when all is well.
   */
  static List<String> problems(
      Collection<ResolvedComponent> components,
      List<VulnerabilityAdvisory> advisories,
      List<AdvisoryException> exceptions,
      LocalDate today) {
    Set<String> found = new TreeSet<>();
    Set<AdvisoryException> unused = new HashSet<>(exceptions);
    for (VulnerabilityAdvisory advisory : advisories) {
      for (VulnerabilityAdvisory.AffectedRange range : advisory.ranges()) {
        for (ResolvedComponent component : components) {
          if (range.contains(component)) {
            List<AdvisoryException> matching =
                exceptions.stream()
                    .filter(each -> each.id().equals(advisory.id()))
                    .filter(each -> each.name().equals(component.name()))
                    .toList();
            matching.forEach(unused::remove);
            if (matching.stream().noneMatch(each -> !today.isAfter(each.expires()))) {
              found.add(line(component, advisory, range, matching));
            }
          }
        }
      }
    }
    List<String> problems = new ArrayList<>(found);
    unused.forEach(
        each ->
            problems.add(
                "exception %s for %s is not needed: remove it".formatted(each.id(), each.name())));
    return problems;
  }

  private static String line(
      ResolvedComponent component,
      VulnerabilityAdvisory advisory,
      VulnerabilityAdvisory.AffectedRange range,
      List<AdvisoryException> expired) {
    return "%s %s: %s (%s); fixed in %s%s"
        .formatted(
            component.name(),
            component.version(),
            advisory.id(),
            advisory.summary(),
            range.fixed() == null ? "no version" : range.fixed(),
            expired.isEmpty() ? "" : "; its exception expired on " + expired.getFirst().expires());
  }
}
