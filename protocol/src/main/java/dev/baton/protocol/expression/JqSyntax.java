/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import dev.baton.protocol.expression.ExpressionException.Reason;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.thisptr.jackson.jq.JsonQuery;
import net.thisptr.jackson.jq.exception.JsonQueryException;

/** The library's parser, with its errors made readable. */
final class JqSyntax {
  /** As the parser generator writes both syntax and lexical errors. */
  private static final Pattern POSITION = Pattern.compile("at line (\\d+), column (\\d+)");

  private static final Pattern FOUND =
      Pattern.compile("Encountered:? \"?(.*?)\"? (?:\\(\\d+\\), after|at line|<)", Pattern.DOTALL);

  private JqSyntax() {}

  static JsonQuery check(String jq) {
    try {
      return JsonQuery.compile(jq, JqScope.VERSION);
    } catch (JsonQueryException e) {
      throw readable(jq, e);
    } catch (StackOverflowError e) {
      throw new ExpressionException(Reason.SYNTAX, jq, "the expression is nested too deeply");
    } catch (RuntimeException | Error e) {
      // The generated tokenizer reports bad characters as an Error of its own.
      if (e instanceof VirtualMachineError) {
        throw e;
      }
      throw readable(jq, e);
    }
  }

  private static ExpressionException readable(String jq, Throwable error) {
    for (Throwable t = error; t != null; t = t.getCause()) {
      String message = t.getMessage() == null ? "" : t.getMessage();
      Matcher position = POSITION.matcher(message);
      if (position.find()) {
        int line = Integer.parseInt(position.group(1));
        int column = Integer.parseInt(position.group(2));
        Matcher found = FOUND.matcher(message);
        String what = found.find() ? found.group(1).strip() : "";
        boolean end = what.isEmpty() || what.contains("EOF");
        return new ExpressionException(
            Reason.SYNTAX,
            jq,
            end ? "not valid jq: it ends too early" : "not valid jq: unexpected " + quoted(what),
            line,
            column);
      }
    }
    return new ExpressionException(Reason.SYNTAX, jq, "not valid jq", 1, 1);
  }

  private static String quoted(String what) {
    return "'" + (what.length() <= 40 ? what : what.substring(0, 40) + "…") + "'";
  }
}
