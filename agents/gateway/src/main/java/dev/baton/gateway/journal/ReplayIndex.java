/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.journal;

import dev.baton.gateway.boundary.SubAgentTools;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The journaled answers that a resumed agent may request again, each once, in the order of the
 * journal. Not thread-safe.
 */
public final class ReplayIndex {
  private final SubAgentTools subAgentTools;
  private final Map<String, Deque<JournaledAnswer>> byKey = new HashMap<>();
  private final Set<String> journaled = new HashSet<>();

  /**
   * Answers after one that starts a sub-agent, in its conversation: the agent starts it again under
   * another name, so that the requests for these have other keys.
   */
  private final Set<JournaledAnswer> unexpected =
      Collections.newSetFromMap(new IdentityHashMap<>());

  /** Journaled names by new ones: agents start sub-agents again under another name. */
  private final Map<String, String> renamed = new HashMap<>();

  /**
   * @param answers since the newest boundary that a resume can start from, in the order of the
   *     journal; those that broke off are skipped
   * @param subAgentTools of the agent
   */
  public ReplayIndex(Collection<JournaledAnswer> answers, SubAgentTools subAgentTools) {
    this.subAgentTools = subAgentTools;
    Set<String> starting = new HashSet<>();
    for (JournaledAnswer answer : answers) {
      if (answer.answer() != null) {
        if (starting.contains(answer.conversation())) {
          unexpected.add(answer);
        }
        if (answer.tools().stream().anyMatch(subAgentTools::isStart)) {
          starting.add(answer.conversation());
        }
        byKey.computeIfAbsent(answer.key(), key -> new ArrayDeque<>()).add(answer);
        journaled.add(answer.conversation());
      }
    }
  }

  /**
   * Takes the oldest answer of a key that is left; one with the same affinity comes first.
   *
   * @param conversation in which it is requested
   * @return empty when there is none
   */
  public Optional<JournaledAnswer> take(String conversation, String key, String affinity) {
    Deque<JournaledAnswer> answers = byKey.get(key);
    if (answers == null || answers.isEmpty()) {
      return Optional.empty();
    }
    JournaledAnswer found = null;
    for (Iterator<JournaledAnswer> each = answers.iterator(); found == null && each.hasNext(); ) {
      JournaledAnswer answer = each.next();
      if (answer.affinity().equals(affinity)) {
        each.remove();
        found = answer;
      }
    }
    if (found == null) {
      found = answers.removeFirst();
    }
    if (!journaled.contains(conversation)) {
      renamed.put(conversation, found.conversation());
    }
    return Optional.of(found);
  }

  /**
   * The number of answers that an agent was expected to request again before a request of this
   * conversation and affinity: those that call tools, since only their results continue the
   * conversation, and those of requests with the same system prompt and tools. Others belong to
   * calls outside the conversation, for example for its title, which an agent does not repeat once
   * it has them. Answers of other conversations count where the journal does not have this one,
   * unless sub-agents work next to it: conversations have their own names then, and one without an
   * answer in the journal is not expected to request any.
   */
  public int left(String conversation, String affinity) {
    String name = renamed.getOrDefault(conversation, conversation);
    boolean known = subAgentTools.areBeside() || journaled.contains(name);
    return (int)
        expected()
            .filter(answer -> !known || answer.conversation().equals(name))
            .filter(answer -> !answer.tools().isEmpty() || answer.affinity().equals(affinity))
            .count();
  }

  /** Whether an answer that calls tools is left of another conversation than this one. */
  public boolean isLeftOfOthers(String conversation) {
    String name = renamed.getOrDefault(conversation, conversation);
    return expected()
        .anyMatch(answer -> !answer.tools().isEmpty() && !answer.conversation().equals(name));
  }

  private Stream<JournaledAnswer> expected() {
    return byKey.values().stream()
        .flatMap(Deque::stream)
        .filter(answer -> !unexpected.contains(answer));
  }
}
