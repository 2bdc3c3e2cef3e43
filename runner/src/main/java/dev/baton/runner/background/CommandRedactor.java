/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.background;

import dev.baton.runner.checkpoint.SecretNamePolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Replaces what looks like a secret in the words of a command by {@value #HIDDEN}: values of
 * variables with the name of a secret, values of options and assignments with such a name,
 * passwords in URLs, headers that authorize, and keys of well-known forms. Stateless.
 */
public final class CommandRedactor {
  private static final String HIDDEN = "***";

  /** Shorter values of variables would hide common words. */
  private static final int MIN_VALUE = 6;

  /** A name directly before its value: {@code --api-key=x}, {@code TOKEN=x}. */
  private static final Pattern ASSIGNED =
      Pattern.compile("(?<![A-Za-z0-9_.-])(-{0,2}[A-Za-z_][A-Za-z0-9_.-]{0,99})(=)([^\\s'\"]+)");

  /** An option and its value within one word, such as the script of a shell. */
  private static final Pattern OPTION =
      Pattern.compile(
          "(?<![A-Za-z0-9_-])(--?[A-Za-z][A-Za-z0-9_.-]{0,99})(\\s+)([^\\s'\"-][^\\s'\"]*)");

  private static final Pattern HEADER =
      Pattern.compile(
          "((?:proxy-)?authorization|cookie|[a-z0-9-]*(?:token|secret|api-?key))(\\s*:\\s*)([^'\"]+)",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern URL_PASSWORD = Pattern.compile("(://[^/@\\s:]*):[^/@\\s]*@");

  private static final Pattern KNOWN =
      Pattern.compile(
          "(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}"
              + "|glpat-[A-Za-z0-9_-]{16,}|xox[a-z]-[A-Za-z0-9-]{10,}|A[KS]IA[0-9A-Z]{16}"
              + "|AIza[A-Za-z0-9_-]{30,}|eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*");

  private static final Set<String> USER_OPTIONS = Set.of("-u", "--user", "--proxy-user");

  private final Set<String> values = new LinkedHashSet<>();

  /**
   * @param environments variables whose values must not appear if their names are those of secrets
   */
  CommandRedactor(Collection<Map<String, String>> environments) {
    for (Map<String, String> environment : environments) {
      environment.forEach(
          (name, value) -> {
            if (value.length() >= MIN_VALUE && SecretNamePolicy.looksSecret(name)) {
              values.add(value);
            }
          });
    }
  }

  /** Returns the words with all secrets hidden: equal to the given ones if there are none. */
  List<String> redact(List<String> words) {
    List<String> hidden = new ArrayList<>();
    String before = "";
    for (String word : words) {
      if (isSecretOption(before) && !word.startsWith("-")) {
        hidden.add(HIDDEN);
      } else if (USER_OPTIONS.contains(before) && word.indexOf(':') > 0) {
        hidden.add(word.substring(0, word.indexOf(':') + 1) + HIDDEN);
      } else {
        hidden.add(redact(word));
      }
      before = word;
    }
    return hidden;
  }

  private String redact(String word) {
    String result = word;
    for (String value : values) {
      result = result.replace(value, HIDDEN);
    }
    result = URL_PASSWORD.matcher(result).replaceAll("$1:" + HIDDEN + "@");
    result = HEADER.matcher(result).replaceAll("$1$2" + HIDDEN.replace("$", "\\$"));
    result = named(ASSIGNED, result);
    result = named(OPTION, result);
    return KNOWN.matcher(result).replaceAll(HIDDEN);
  }

  private static String named(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .replaceAll(
            found ->
                java.util.regex.Matcher.quoteReplacement(
                    isSecret(found.group(1))
                        ? found.group(1) + found.group(2) + HIDDEN
                        : whole(found)));
  }

  private static String whole(MatchResult found) {
    return found.group();
  }

  private static boolean isSecretOption(String word) {
    return word.startsWith("-") && word.indexOf('=') < 0 && isSecret(word);
  }

  private static boolean isSecret(String option) {
    String name = option.replaceFirst("^-+", "").replace('-', '_').replace('.', '_');
    return !name.isEmpty() && SecretNamePolicy.looksSecret(name);
  }
}
