//! The exports of `ffi/`, read from its sources in the order of its table of contents.

use syn::{Attribute, Expr, ExprLit, Item, ItemFn, Lit, Meta};

use crate::{Outcome, files};

/// One source file of `ffi/`.
pub(crate) struct Source {
    /// Its place, for instance `ffi/src/router.rs`.
    pub(crate) place: String,
    /// Its name in the table of contents, for instance `router` or `router/lookup`.
    pub(crate) module: String,
    /// The text at its head.
    pub(crate) head: String,
    /// Its exported functions, in order.
    pub(crate) exports: Vec<ItemFn>,
}

/// All sources of `ffi/`, `lib.rs` first, then as it and they list them. What is behind a feature is left out.
pub(crate) fn sources() -> Outcome<Vec<Source>> {
    let mut found = Vec::new();
    visit("ffi/src/lib.rs", "", &mut found)?;
    Ok(found)
}

fn visit(place: &str, module: &str, found: &mut Vec<Source>) -> Outcome {
    let text = files::read(place)?;
    let file = syn::parse_file(&text).map_err(|error| format!("{place}: {error}"))?;
    let is_export = |item: &&ItemFn| item.attrs.iter().any(is_no_mangle);
    let functions = file.items.iter().filter_map(|item| if let Item::Fn(item) = item { Some(item) } else { None });
    found.push(Source {
        place: place.to_owned(),
        module: module.to_owned(),
        head: documentation(&file.attrs),
        exports: functions.filter(is_export).cloned().collect(),
    });
    for item in &file.items {
        let Item::Mod(inner) = item else { continue };
        if inner.content.is_some() || inner.attrs.iter().any(|attribute| attribute.path().is_ident("cfg")) {
            continue;
        }
        let name = if module.is_empty() { inner.ident.to_string() } else { format!("{module}/{}", inner.ident) };
        visit(&format!("ffi/src/{name}.rs"), &name, found)?;
    }
    Ok(())
}

fn is_no_mangle(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return attribute.path().is_ident("no_mangle") };
    list.path.is_ident("unsafe") && list.tokens.to_string() == "no_mangle"
}

/// The documentation among attributes, line by line.
pub(crate) fn documentation(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        if let (true, Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = (pair.path.is_ident("doc"), &pair.value) {
            let text = text.value();
            lines.push(text.strip_prefix(' ').unwrap_or(&text).to_owned());
        }
    }
    lines.join("\n")
}
